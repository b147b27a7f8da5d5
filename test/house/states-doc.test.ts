import { expect, test } from 'vitest';
import { isFinal, leaseTransitions } from '../../src/core/index.ts';
import { read } from './sources.ts';

const page = read('docs/lease-states.md');

/**
 * States in which machines exist or are saved: when a node fails or is closed, the lease starts again from QUEUED or
 * PENDING.
 */
const started = [
  'ACTIVE',
  'SUSPENDING',
  'SUSPENDED_PENDING',
  'SUSPENDED_QUEUED',
  'SUSPENDED_SCHEDULED',
  'MIGRATING',
  'RESUMING',
  'RESUMED_READY',
];

test('the diagram of states has every transition but those to CANCELLED and FAILED, and those of lost machines', () => {
  const drawn = [...page.matchAll(/^ {2}(\w+) --> (\w+)/gm)].map(([, from, to]) => `${from} ${to}`);
  const legal = Object.entries(leaseTransitions).flatMap(([from, all]) =>
    all.filter((to) => to !== 'CANCELLED' && to !== 'FAILED').map((to) => `${from} ${to}`),
  );
  const lost = started.flatMap((from) => [`${from} QUEUED`, `${from} PENDING`]);
  expect(legal).toEqual(expect.arrayContaining(lost));
  const shown = legal.filter((each) => each === 'ACTIVE QUEUED' || !lost.includes(each));
  expect(drawn.sort()).toEqual(shown.sort());
  const unfinished = Object.entries(leaseTransitions).filter(([state]) => state !== 'NEW' && !isFinal(state as 'NEW'));
  for (const [state, next] of unfinished) expect(next, state).toEqual(expect.arrayContaining(['CANCELLED', 'FAILED']));
});

test('the table of states has every state once', () => {
  const listed = [...page.matchAll(/^\| ([A-Z_]+) \|/gm)].map(([, state]) => state);
  expect(listed.sort()).toEqual(Object.keys(leaseTransitions).sort());
});
