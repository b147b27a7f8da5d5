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

test('a lease runs from request to end, and its hosts receive their actions', async () => {
  await using harness = new Harness();
  const { engine, adapter } = await harness.start();
  const { leaseNumber } = await engine.submit('request', bestEffort(hours(1), 2), { principal });
  expect(leaseNumber).toBe(1);
  await settle();
  expect(harness.state(1)).toBe('ACTIVE');
  expect(adapter.log).toEqual(['start 1/1', 'start 1/2']);
  await harness.pass(hours(1));
  expect(harness.state(1)).toBe('DONE');
  expect(adapter.log.slice(2)).toEqual(['shutdown 1/1', 'shutdown 1/2']);
  expect(harness.database.events.map((event) => event.sequence)).toEqual([1, 2, 3, 4, 5, 6]);
  expect([...harness.database.actions.values()].map((action) => action.state)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
  expect(engine.status()).toMatchObject({ role: 'writer', problems: [], epoch: 1 });
});

test('commands that wait together are committed together', async () => {
  await using harness = new Harness({ nodes: 200 });
  const { engine, store } = await harness.start();
  await settle();
  const requested: number[] = [];
  store.afterCommit = async ({ changes }) => {
    const count = changes.events.filter(({ from }) => from === 'NEW').length;
    if (count > 0) requested.push(count);
  };
  const start = epoch + hours(1);
  await Promise.all(
    Array.from({ length: 200 }, () => engine.submit('request', reservationAt(start, minutes(10)), { principal })),
  );
  expect(requested).toEqual([200]);
  await harness.pass(hours(1));
  const active = harness.database.events.filter((event) => event.to === 'ACTIVE');
  expect(active).toHaveLength(200);
  expect(new Set(active.map((event) => event.at))).toEqual(new Set([start]));
});
