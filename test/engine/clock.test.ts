import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SiteClock, type TimeSource } from '../../src/engine/clock.ts';
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
import { ManualClock } from '../support/manual-clock.ts';

const days = (count: number): number => hours(24 * count);
const years = (count: number): number => days(365 * count);

/** A machine whose clocks the test sets; timers are recorded and end at once. */
class TestMachine implements TimeSource {
  elapsed = 0;
  readonly timers: number[] = [];

  constructor(public time: number) {}

  wall = (): number => this.time;
  monotonic = (): number => this.elapsed;

  sleep = async (duration: number): Promise<void> => {
    this.timers.push(duration);
    this.pass(duration);
  };

  pass(duration: number): void {
    this.elapsed += duration;
    this.time += duration;
  }
}

test('the clock follows the wall clock, also forward at once', () => {
  const machine = new TestMachine(epoch);
  const clock = new SiteClock(1, machine);
  machine.pass(1_500);
  expect(clock.now()).toBe(epoch + 1_500);
  machine.time += years(10);
  expect(clock.now()).toBe(epoch + 1_500 + years(10));
});

test('a wall clock that is set back slows time down until it has caught up, and stops nothing', () => {
  const machine = new TestMachine(epoch);
  const clock = new SiteClock(1, machine);
  machine.pass(hours(3));
  expect(clock.now()).toBe(epoch + hours(3));
  machine.time -= hours(2);
  expect(clock.now()).toBe(epoch + hours(3));
  machine.pass(hours(1));
  expect(clock.now()).toBe(epoch + hours(3.5));
  machine.pass(hours(3));
  expect(clock.now()).toBe(epoch + hours(5));
  machine.pass(hours(1));
  expect(clock.now()).toBe(epoch + hours(6));
});

test('for every wall clock, the time never decreases and is an integer', () => {
  const step = fc.record({
    elapsed: fc.nat(100_000),
    jump: fc.integer({ min: -10_000_000, max: 10_000_000 }),
  });
  fc.assert(
    fc.property(fc.constantFrom(0.5, 1, 60, 3600), fc.array(step, { maxLength: 50 }), (speed, steps) => {
      const machine = new TestMachine(epoch);
      const clock = new SiteClock(speed, machine);
      let last = clock.now();
      for (const { elapsed, jump } of steps) {
        machine.pass(elapsed / 7);
        machine.time += jump;
        const now = clock.now();
        expect(Number.isInteger(now)).toBe(true);
        expect(now).toBeGreaterThanOrEqual(last);
        last = now;
      }
    }),
  );
});

test('an accelerated clock counts from the origin, so that a restart continues correctly', () => {
  const machine = new TestMachine(epoch);
  const first = new SiteClock(60, machine);
  first.resume({ origin: epoch, floor: Number.NEGATIVE_INFINITY });
  machine.pass(minutes(1));
  expect(first.now()).toBe(epoch + hours(1));
  machine.pass(minutes(1));
  const second = new SiteClock(60, machine);
  second.resume({ origin: epoch, floor: epoch + hours(1) });
  expect(second.now()).toBe(epoch + hours(2));
  machine.pass(minutes(1));
  expect(second.now()).toBe(epoch + hours(3));
});

test('a slower clock continues from the last event', () => {
  const machine = new TestMachine(epoch + minutes(1));
  const clock = new SiteClock(2, machine);
  clock.resume({ origin: epoch, floor: epoch + days(1) });
  expect(clock.now()).toBe(epoch + days(1));
  machine.pass(minutes(1));
  expect(clock.now()).toBe(epoch + days(1) + minutes(2));

  const wall = new SiteClock(1, machine);
  wall.resume({ origin: epoch, floor: epoch + days(1) });
  expect(wall.now()).toBe(epoch + days(1));
  machine.pass(minutes(1));
  expect(wall.now()).toBe(epoch + days(1) + minutes(0.5));
});

test('waits for an instant years away with timers of a second, and no longer than that', async () => {
  const machine = new TestMachine(epoch);
  const clock = new SiteClock(1, machine);
  await clock.until(epoch + days(30), new AbortController().signal);
  expect(machine.time).toBe(epoch + days(30));
  expect(machine.timers.every((timer) => timer <= 1_000)).toBe(true);

  const fast = new SiteClock(3_600, machine);
  const { elapsed } = machine;
  await fast.until(fast.now() + hours(2), new AbortController().signal);
  expect(machine.elapsed - elapsed).toBe(2_000);
});

test('a wait ends with its signal', async () => {
  const clock = new SiteClock();
  const controller = new AbortController();
  const waiting = clock.until(clock.now() + years(10), controller.signal);
  controller.abort();
  await waiting;
  await clock.sleep(years(10), controller.signal);
});

test('an invalid speed is refused', () => {
  for (const speed of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
    expect(() => new SiteClock(speed)).toThrow(RangeError);
});

test('a wall clock that jumps back two hours runs nothing twice and delays nothing permanently', async () => {
  await using harness = new Harness({ nodes: 1 });
  const { engine, adapter } = await harness.start();
  for (let count = 0; count < 3; count += 1) await engine.submit('request', bestEffort(minutes(30)), { principal });
  await harness.pass(minutes(40), minutes(1));
  expect([harness.state(1), harness.state(2)]).toEqual(['DONE', 'ACTIVE']);
  harness.clock.set(harness.clock.wall() - hours(2));
  await harness.pass(hours(5), minutes(1));
  expect(adapter.log).toEqual(['start 1/1', 'shutdown 1/1', 'start 2/1', 'shutdown 2/1', 'start 3/1', 'shutdown 3/1']);
  const times = harness.database.events.map(({ at }) => at);
  expect(times).toEqual([...times].sort((a, b) => a - b));
});

test('after a restart with a wall clock set back, time continues and nothing runs twice', async () => {
  await using harness = new Harness({ nodes: 1 });
  const first = await harness.start();
  for (let count = 0; count < 3; count += 1)
    await first.engine.submit('request', bestEffort(minutes(30)), { principal });
  await harness.pass(minutes(40), minutes(1));
  await first.engine.stop();
  const clock = new ManualClock(harness.clock.wall() - hours(2));
  const second = harness.make({ engine: { clock } });
  await second.engine.start();
  await settle();
  expect(second.engine.now()).toBeGreaterThanOrEqual(epoch + minutes(30));
  await second.engine.submit('request', bestEffort(minutes(30)), { principal });
  for (let count = 0; count < 300; count += 1) {
    clock.advance(minutes(1));
    await settle(20);
  }
  expect([1, 2, 3, 4].map((lease) => harness.state(lease))).toEqual(['DONE', 'DONE', 'DONE', 'DONE']);
  const told = [...first.adapter.log, ...second.adapter.log];
  expect(told).toEqual([1, 2, 3, 4].flatMap((lease) => [`start ${lease}/1`, `shutdown ${lease}/1`]));
  const times = harness.database.events.map(({ at }) => at);
  expect(times).toEqual([...times].sort((a, b) => a - b));
  const stopped = second.engine.stop();
  clock.advance(hours(1));
  await stopped;
});

test('a wall clock that jumps ten years forward carries out once what came due, in order', async () => {
  await using harness = new Harness({ nodes: 1 });
  const { engine, adapter, store } = await harness.start();
  await engine.submit('request', bestEffort(minutes(30)), { principal });
  await engine.submit('request', reservationAt(epoch + hours(1), minutes(30)), { principal });
  await engine.submit('request', reservationAt(epoch + hours(2), minutes(30)), { principal });
  await settle();
  const before = store.calls.filter((call) => call === 'commit').length;
  harness.clock.set(epoch + years(10));
  await settle();
  expect([1, 2, 3].map((lease) => harness.state(lease))).toEqual(['DONE', 'DONE', 'DONE']);
  // Machines whose time is over before their node is free are not started, only removed.
  expect(adapter.log).toEqual(['start 1/1', 'shutdown 1/1', 'shutdown 2/1', 'shutdown 3/1']);
  expect(store.calls.filter((call) => call === 'commit').length - before).toBeLessThan(10);
  const started = harness.database.events.filter(({ to }) => to === 'ACTIVE').map(({ leaseId }) => leaseId);
  expect(started).toEqual([1, 2, 3]);
});

test('reservations due at once are committed in parts and in order, and commands wait for their turn', async () => {
  await using harness = new Harness({ nodes: 4, limits: { rowsPerTurn: 40 } });
  const first = await harness.start();
  const begun = harness.clock.now();
  await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      first.engine.submit('request', reservationAt(begun + minutes(10 * (index >> 2)) + 1, minutes(10)), {
        principal,
      }),
    ),
  );
  await settle(200);
  await first.engine.stop();
  harness.clock.set(epoch + years(10));

  const { engine, store, adapter } = harness.make();
  const commits: number[] = [];
  store.afterCommit = async ({ changes }) => {
    commits.push(changes.leases.length + changes.reservations.length + changes.events.length);
  };
  await engine.start();
  const answer = engine.submit('request', bestEffort(minutes(1)), { principal });
  expect(await answer).toEqual({ leaseNumber: 201 });
  expect(Math.max(...commits)).toBeLessThan(100);
  expect(commits.length).toBeGreaterThan(20);
  const { events } = harness.database;
  const last = events.find(({ leaseId }) => leaseId === 201);
  expect(events.filter(({ to }) => to === 'DONE')).toHaveLength(200);
  expect(last?.at).toBe(epoch + years(10));
  // What is due at one instant is of one commit, and nothing of the command before all of it.
  expect(events.findIndex(({ leaseId }) => leaseId === 201)).toBeGreaterThanOrEqual(
    events.findLastIndex(({ leaseId, to }) => leaseId <= 200 && to === 'DONE'),
  );
  const times = events.map(({ at }) => at);
  expect(times).toEqual([...times].sort((a, b) => a - b));
  await settle();
  const told = adapter.log.filter((call) => !call.includes('201'));
  // Each machine is removed once, and started at most once before that.
  expect(new Set(told).size).toBe(told.length);
  expect(told.filter((call) => call.startsWith('shutdown'))).toHaveLength(200);
  for (const [index, call] of told.entries()) {
    if (call.startsWith('start')) expect(told.indexOf(call.replace('start', 'shutdown'))).toBeGreaterThan(index);
  }
});

test('a lease far beyond 24.8 days starts when it is due', async () => {
  await using harness = new Harness();
  const { engine } = await harness.start();
  await engine.submit('request', reservationAt(epoch + days(100), hours(1)), { principal });
  await harness.pass(days(100) - 1, days(9));
  expect(harness.state(1)).toBe('READY');
  await harness.pass(1);
  expect(harness.state(1)).toBe('ACTIVE');
});
