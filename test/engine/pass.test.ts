import { expect, test } from 'vitest';
import {
  bestEffort,
  epoch,
  Harness,
  hours,
  minutes,
  principal,
  reservationAt,
  settle,
} from '../support/engine-harness.ts';

// With a manual clock no time passes within a slice: a slice of 0 ms is one lease.
const slow = { slice: 0, maxSlicesPerTurn: 1 };

test('commands are answered between the slices of a pass', async () => {
  await using harness = new Harness({ nodes: 1, limits: slow });
  const { engine, store } = await harness.start();
  await Promise.all(Array.from({ length: 200 }, () => engine.submit('request', bestEffort(hours(1)), { principal })));
  const commits: string[] = [];
  store.afterCommit = async ({ changes }) => {
    commits.push(changes.events.map(({ leaseId, to }) => `${leaseId} ${to}`).join(', '));
  };
  const before = store.calls.filter((call) => call === 'commit').length;
  await engine.submit('request', bestEffort(hours(1)), { principal });
  await engine.submit('cancel', { leaseNumber: 150 }, { principal });
  const turns = store.calls.filter((call) => call === 'commit').length - before;
  // Far fewer turns than the pass needs slices.
  expect(turns).toBeLessThan(10);
  await settle(1_000);
  expect(harness.state(150)).toBe('CANCELLED');
  expect(harness.state(201)).toBe('QUEUED');
});

test('what comes due during a long pass happens meanwhile', async () => {
  let passes = 0;
  await using harness = new Harness({
    nodes: 20,
    limits: slow,
    hooks: {
      hook: (what) => {
        // Every slice takes a second.
        if (what !== 'pass') return;
        passes += 1;
        harness.clock.advance(1_000);
      },
    },
  });
  const { engine } = await harness.start();
  await engine.submit('request', reservationAt(epoch + minutes(1), minutes(2)), { principal });
  await settle();
  const before = passes;
  await Promise.all(
    Array.from({ length: 300 }, () => engine.submit('request', bestEffort(hours(100), 20), { principal })),
  );
  await settle(3_000);
  expect(passes - before).toBeGreaterThan(100);
  expect(harness.state(1)).toBe('DONE');
});

test('uninterrupted slices are written together', async () => {
  await using harness = new Harness({ nodes: 100, limits: { slice: 0, maxSlicesPerTurn: 50 } });
  const { engine } = await harness.start();
  const before = harness.database.commits;
  await Promise.all(Array.from({ length: 100 }, () => engine.submit('request', bestEffort(hours(1)), { principal })));
  await settle(500);
  expect([...harness.database.leases.values()].every(({ state }) => state === 'ACTIVE')).toBe(true);
  expect(harness.database.commits - before).toBeLessThan(15);
});

test('a pass puts as much into a commit as can be written in a short time', async () => {
  await using harness = new Harness({ nodes: 1, limits: { maxSlicesPerTurn: 64, turnToWrite: 20 } });
  const { engine, store } = await harness.start();
  const planned: number[] = [];
  store.afterCommit = async ({ changes }) => {
    planned.push(changes.events.filter(({ to }) => to === 'QUEUED').length);
    // Half a millisecond each: 40 rows, which is 20 leases with an event each.
    harness.clock.advance((changes.leases.length + changes.events.length + changes.reservations.length) / 2);
  };
  await Promise.all(Array.from({ length: 400 }, () => engine.submit('request', bestEffort(hours(1)), { principal })));
  await settle(500);
  expect(planned.reduce((sum, count) => sum + count)).toBe(400);
  // The first one only guesses what writing takes; the last ones hold what is left.
  const settled = planned.slice(3, -2);
  expect(settled.length).toBeGreaterThan(4);
  expect(Math.max(...settled)).toBeLessThanOrEqual(25);
  expect(Math.min(...settled)).toBeGreaterThanOrEqual(20);
});

test('where every commit takes long, however little it holds, a pass does not write lease by lease', async () => {
  await using harness = new Harness({ nodes: 1, limits: { maxSlicesPerTurn: 64, turnToWrite: 20 } });
  const { engine, store } = await harness.start();
  const planned: number[] = [];
  store.afterCommit = async ({ changes }) => {
    planned.push(changes.events.filter(({ to }) => to === 'QUEUED').length);
    harness.clock.advance(500);
  };
  await Promise.all(Array.from({ length: 400 }, () => engine.submit('request', bestEffort(hours(1)), { principal })));
  await settle(500);
  expect(planned.reduce((sum, count) => sum + count)).toBe(400);
  expect(Math.min(...planned.slice(1, -2))).toBeGreaterThanOrEqual(9);
});

test('a turn with waiting commands holds at most one slice of the pass', async () => {
  await using harness = new Harness({ nodes: 1, limits: { slice: 0, maxSlicesPerTurn: 64 } });
  const { engine, store } = await harness.start();
  const turns: (readonly [requested: number, planned: number])[] = [];
  store.afterCommit = async ({ changes }) => {
    const count = (state: string) => changes.events.filter(({ to }) => to === state).length;
    turns.push([count('PENDING'), count('QUEUED')]);
  };
  for (let count = 0; count < 50; count += 1)
    void engine.submit('request', bestEffort(hours(1)), { principal }).catch(() => {});
  await settle(500);
  expect(turns.filter(([requested, planned]) => requested > 0 && planned > 1)).toEqual([]);
  expect(turns.reduce((sum, [, planned]) => sum + planned, 0)).toBe(50);
});

test('a core that always needs another pass does not keep the engine busy', async () => {
  await using harness = new Harness({ hooks: { alwaysNeedsPass: true } });
  const { engine, store } = await harness.start();
  await engine.submit('request', bestEffort(hours(1)), { principal });
  await settle(500);
  const before = store.calls.length;
  await settle(500);
  expect(store.calls.length - before).toBeLessThan(5);
  expect(await engine.submit('request', bestEffort(hours(1)), { principal })).toEqual({ leaseNumber: 2 });
});

test('two hundred leases that start at one instant are started by one commit', async () => {
  await using harness = new Harness({ nodes: 200 });
  const { engine, store, adapter } = await harness.start();
  const start = epoch + hours(1);
  await Promise.all(
    Array.from({ length: 200 }, () => engine.submit('request', reservationAt(start, minutes(10)), { principal })),
  );
  await settle();
  const started: number[] = [];
  store.afterCommit = async ({ changes }) => {
    started.push(changes.events.filter(({ to, at }) => to === 'ACTIVE' && at === start).length);
  };
  await harness.pass(hours(1));
  expect(started.filter((count) => count > 0)).toEqual([200]);
  expect(adapter.log.filter((call) => call.startsWith('start'))).toHaveLength(200);
});
