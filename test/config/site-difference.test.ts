import { expect, it } from 'vitest';
import { siteDifference } from '../../src/config/site-difference.ts';

const site = (CPU: number | number[]) => ({
  name: 'site',
  spec: {
    resourceTypes: ['CPU'],
    nodes: [{ number: 1, hostname: 'node-1', capacity: { CPU } }],
  },
});

it.each([
  [[100, 0], 100],
  [[100, 0, 0], [100]],
  [[0, 0], 0],
])('finds no difference in empty instances: %j, %j', (stored, configured) => {
  expect(siteDifference(site(stored), site(configured))).toBe(null);
});

it.each([
  [[100, 0], 200],
  [[0, 100], 100],
  [[100, 100], 100],
])('finds another capacity: %j, %j', (stored, configured) => {
  expect(siteDifference(site(stored), site(configured))?.changed.map(({ update }) => update)).toEqual([
    { capacity: { CPU: configured } },
  ]);
});
