import { describe, expect, test } from 'vitest';
import { type MeasuredAction, ratesOf } from '../../src/api/rates.ts';

const action = (
  kind: MeasuredAction['kind'],
  seconds: number,
  ...machines: readonly (readonly [node: number, memory: number])[]
): MeasuredAction => ({
  kind,
  duration: seconds * 1_000,
  targets: machines.map(([node, memory], index) => ({
    leaseId: 1,
    machine: index + 1,
    node,
    toNode: null,
    capacity: { CPU: 100, Memory: memory },
    image: { name: 'debian', sizeMb: 2_000 },
  })),
});

describe('measured rates', () => {
  test('by operation: the slowest, and the one in the middle', () => {
    const actions = [
      action('SUSPEND', 10, [1, 640]),
      action('SUSPEND', 20, [1, 640]),
      action('SUSPEND', 5, [1, 640]),
      action('RESUME', 8, [1, 640]),
      action('SUSPEND', 10, [2, 500]),
      action('START', 3, [1, 640]),
    ];
    expect(ratesOf(1, actions)).toEqual([
      { kind: 'SUSPEND', count: 3, min: 32, median: 64 },
      { kind: 'RESUME', count: 1, min: 80, median: 80 },
    ]);
    expect(ratesOf(2, actions)).toEqual([{ kind: 'SUSPEND', count: 1, min: 50, median: 50 }]);
  });

  test('what machines of one action have on a node is moved together', () => {
    const actions = [action('SUSPEND', 10, [1, 300], [1, 100], [2, 200])];
    expect(ratesOf(1, actions)).toEqual([{ kind: 'SUSPEND', count: 1, min: 40, median: 40 }]);
    expect(ratesOf(2, actions)).toEqual([{ kind: 'SUSPEND', count: 1, min: 20, median: 20 }]);
  });

  test('a preparation moves the image, a migration memory and image', () => {
    expect(ratesOf(1, [action('PREPARE', 20, [1, 640]), action('MIGRATE', 10, [1, 500])])).toEqual([
      { kind: 'PREPARE', count: 1, min: 100, median: 100 },
      { kind: 'MIGRATE', count: 1, min: 250, median: 250 },
    ]);
  });
});
