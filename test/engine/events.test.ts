import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LeaseEventRecord } from '../../src/core/index.ts';
import type { PublisherOptions } from '../../src/engine/event-feed.ts';
import { StoreError } from '../../src/engine/ports.ts';
import { Publisher } from '../../src/engine/publisher.ts';
import { bestEffort, Harness, minutes, principal, settle, until } from '../support/engine-harness.ts';

const event = (sequence: number, leaseId = 1): LeaseEventRecord => ({
  sequence,
  at: sequence,
  leaseId,
  from: 'NEW',
  to: 'PENDING',
  reason: null,
});

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** A publisher over a list of committed events. */
const setUp = (overrides: Partial<PublisherOptions<LeaseEventRecord>> = {}) => {
  let stored: LeaseEventRecord[] = [];
  const reads = { count: 0, failures: 0 };
  let pause = async (): Promise<void> => {};
  const store: PublisherOptions<LeaseEventRecord>['store'] = {
    events: async (after, limit, lease) => {
      reads.count += 1;
      await pause();
      if (reads.failures > 0) {
        reads.failures -= 1;
        throw new StoreError('TRANSIENT', 'cut');
      }
      return stored
        .filter((each) => each.sequence > after && (lease == null || each.leaseId === lease))
        .slice(0, limit);
    },
    eventRange: async () => {
      await pause();
      const [first] = stored;
      const last = stored.at(-1);
      return first && last ? { oldest: first.sequence, newest: last.sequence } : null;
    },
  };
  let replayed = 0;
  const publisher = new Publisher({
    store,
    noun: 'events',
    ringSize: 10,
    pageSize: 5,
    concurrentReads: 2,
    onReplayed: (count) => {
      replayed += count;
    },
    sleep: async () => {},
    ...overrides,
  });
  return {
    publisher,
    reads,
    get replayed() {
      return replayed;
    },
    get stored() {
      return stored;
    },
    set stored(events: LeaseEventRecord[]) {
      stored = events;
    },
    set pause(wait: () => Promise<void>) {
      pause = wait;
    },
    /** Commits, then publishes, as the engine does. */
    commit(...events: LeaseEventRecord[]) {
      stored.push(...events);
      publisher.append(events);
    },
  };
};

const take = async (subscription: AsyncIterator<LeaseEventRecord>, count: number): Promise<number[]> => {
  const taken: number[] = [];
  while (taken.length < count) {
    const next = await subscription.next();
    if (next.done) break;
    taken.push(next.value.sequence);
  }
  return taken;
};

test('known events are not added again', async () => {
  const { publisher } = setUp();
  const seen: number[] = [];
  const subscription = publisher.subscribe({});
  publisher.append(range(1, 3).map((sequence) => event(sequence)));
  publisher.append(range(2, 4).map((sequence) => event(sequence)));
  publisher.append([event(4)]);
  for (let count = 0; count < 4; count += 1) seen.push((await subscription.next()).value?.sequence ?? 0);
  expect([seen, publisher.last, publisher.fromRing(5)]).toEqual([[1, 2, 3, 4], 4, undefined]);
  publisher.close();
});

test('without `after` a subscriber sees events from the call on, even before its first next()', async () => {
  const { publisher, commit } = setUp();
  commit(event(1), event(2));
  const subscription = publisher.subscribe({});
  commit(event(3));
  const taken = take(subscription, 2);
  commit(event(4));
  expect(await taken).toEqual([3, 4]);
});

test('with `after` the events since then are replayed before live ones', async () => {
  const bench = setUp();
  for (const sequence of range(1, 40)) bench.commit(event(sequence));
  const subscription = bench.publisher.subscribe({ after: 3 });
  const taken = take(subscription, 40);
  await settle();
  for (const sequence of range(41, 43)) bench.commit(event(sequence));
  expect(await taken).toEqual(range(4, 43));
  expect(bench.replayed).toBeGreaterThanOrEqual(15);
  expect(bench.replayed).toBeLessThan(37);
});

test('a subscription to one lease delivers only its events, from the store and live', async () => {
  const bench = setUp();
  for (const sequence of range(1, 40)) bench.commit(event(sequence, sequence % 3));
  const subscription = bench.publisher.subscribe({ after: 0, leaseNumber: 2 });
  const taken = take(subscription, 15);
  await settle();
  for (const sequence of range(41, 46)) bench.commit(event(sequence, sequence % 3));
  expect(await taken).toEqual(
    range(1, 46)
      .filter((sequence) => sequence % 3 === 2)
      .slice(0, 15),
  );
});

test('a subscriber of a lease without events does not read the store repeatedly', async () => {
  const bench = setUp();
  const subscription = bench.publisher.subscribe({ leaseNumber: 99 });
  const next = subscription.next();
  await settle();
  for (const sequence of range(1, 500)) {
    bench.commit(event(sequence));
    await settle(1);
  }
  expect(bench.reads.count).toBe(0);
  expect(bench.publisher.lag).toBeLessThan(10);
  bench.commit(event(501, 99));
  expect(await next).toMatchObject({ value: { sequence: 501 } });
});

test('the transition from replay to live events neither loses nor repeats any', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.nat(60),
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 12 }),
      fc.option(fc.nat(2), { nil: null }),
      async (scheduler, after, batches, leaseNumber) => {
        const bench = setUp();
        for (const sequence of range(1, 60)) bench.commit(event(sequence, sequence % 3));
        bench.pause = () => scheduler.schedule(Promise.resolve(), 'read');
        const subscription = bench.publisher.subscribe({ after, leaseNumber });
        const seen: number[] = [];
        const reading = (async () => {
          for await (const each of subscription) {
            seen.push(each.sequence);
            await scheduler.schedule(Promise.resolve(), 'consume');
          }
        })();
        let last = 60;
        const writing = scheduler.scheduleSequence(
          batches.map((size) => async () => {
            bench.commit(...range(last + 1, last + size).map((sequence) => event(sequence, sequence % 3)));
            last += size;
          }),
        );
        await scheduler.waitFor(writing.task);
        const expected = range(after + 1, last).filter(
          (sequence) => leaseNumber === null || sequence % 3 === leaseNumber,
        );
        for (let round = 0; seen.length < expected.length && round < 5_000; round += 1) {
          if (scheduler.count() > 0) await scheduler.waitOne();
          else await settle(1);
        }
        expect(seen).toEqual(expected);
        await subscription.return();
        await scheduler.waitIdle();
        await reading;
      },
    ),
    { numRuns: 60 },
  );
});

test('after a gap, earlier events are not taken for later ones', async () => {
  const bench = setUp();
  for (const sequence of range(1, 5)) bench.commit(event(sequence));
  const events = bench.publisher.subscribe({ after: 0 });
  bench.stored.push(...range(6, 8).map((sequence) => event(sequence)));
  bench.commit(event(9), event(10));
  expect(await take(events, 10)).toEqual(range(1, 10));
});

test('a slow subscriber continues from the store, is not dropped and blocks no other', async () => {
  const bench = setUp();
  const slow = bench.publisher.subscribe({});
  const fast = bench.publisher.subscribe({});
  const first = slow.next();
  const taken = take(fast, 1_000);
  for (const sequence of range(1, 1_000)) {
    bench.commit(event(sequence));
    if (sequence % 5 === 0) await settle(1);
  }
  expect(await taken).toEqual(range(1, 1_000));
  expect(bench.publisher.lag).toBeGreaterThan(900);
  expect(await first).toMatchObject({ value: { sequence: 1 } });
  expect(await take(slow, 999)).toEqual(range(2, 1_000));
  expect(bench.replayed).toBeGreaterThan(900);
  expect(bench.publisher.lag).toBe(0);
});

test('unsubscribing before the first event releases all resources at once', async () => {
  const { publisher, commit } = setUp();
  const untouched = publisher.subscribe({});
  expect(publisher.subscribers).toBe(0);
  expect(await untouched.return()).toEqual({ done: true, value: undefined });

  const subscriptions = range(1, 1_000).map(() => publisher.subscribe({}));
  const waiting = subscriptions.map((subscription) => subscription.next());
  await settle();
  expect(publisher.subscribers).toBe(1_000);
  await Promise.all(subscriptions.map((subscription) => subscription.return()));
  expect(publisher.subscribers).toBe(0);
  // The waiting call is answered, without an event.
  expect(new Set((await Promise.all(waiting)).map(({ done }) => done))).toEqual(new Set([true]));
  commit(event(1));
  expect(await subscriptions[0]?.next()).toEqual({ done: true, value: undefined });
});

test('a signal ends a subscription: before, while it waits and while it reads', async () => {
  const bench = setUp();
  for (const sequence of range(1, 40)) bench.commit(event(sequence));
  const before = AbortSignal.abort();
  expect(await bench.publisher.subscribe({ signal: before }).next()).toMatchObject({ done: true });

  const controller = new AbortController();
  const waiting = bench.publisher.subscribe({ signal: controller.signal }).next();
  bench.pause = () => new Promise(() => {});
  const reading = bench.publisher.subscribe({ after: 0, signal: controller.signal }).next();
  await settle();
  controller.abort();
  expect(await waiting).toMatchObject({ done: true });
  expect(bench.publisher.subscribers).toBe(0);
  await expect(Promise.race([reading, settle(5).then(() => 'still reading')])).resolves.toMatchObject({
    done: true,
  });
});

test('closing the publisher ends all current and later subscriptions', async () => {
  const { publisher } = setUp();
  const waiting = publisher.subscribe({}).next();
  await settle();
  publisher.close();
  expect(await waiting).toMatchObject({ done: true });
  expect(await publisher.subscribe({ after: 0 }).next()).toMatchObject({ done: true });
  expect(publisher.subscribers).toBe(0);
});

test('a deleted position is refused with the oldest sequence number that is kept', async () => {
  const bench = setUp();
  for (const sequence of range(1, 40)) bench.commit(event(sequence));
  bench.stored = bench.stored.filter(({ sequence }) => sequence > 15);
  for (const after of [0, 14]) {
    await expect(bench.publisher.subscribe({ after }).next()).rejects.toMatchObject({
      code: 'EVENTS_EXPIRED',
      message: expect.stringMatching(/oldest that is kept is 16\b/),
      path: ['after'],
    });
    await expect(bench.publisher.subscribe({ after, leaseNumber: 7 }).next()).rejects.toMatchObject({
      code: 'EVENTS_EXPIRED',
    });
  }
  const kept = bench.publisher.subscribe({ after: 15 });
  expect(await kept.next()).toMatchObject({ value: { sequence: 16 } });
  await kept.return();
  bench.stored = [];
  await expect(bench.publisher.subscribe({ after: 20 }).next()).rejects.toMatchObject({
    code: 'EVENTS_EXPIRED',
  });
  expect(bench.publisher.subscribers).toBe(0);
});

test('a subscriber whose next events were deleted receives an error', async () => {
  const bench = setUp();
  const slow = bench.publisher.subscribe({});
  const first = slow.next();
  for (const sequence of range(1, 100)) bench.commit(event(sequence));
  await first;
  bench.stored = bench.stored.filter(({ sequence }) => sequence > 50);
  await expect(take(slow, 99)).rejects.toMatchObject({ code: 'EVENTS_EXPIRED' });
  expect(await slow.next()).toMatchObject({ done: true });
});

test('a sequence number that no event has yet is refused', async () => {
  const bench = setUp();
  for (const sequence of range(1, 3)) bench.commit(event(sequence));
  await expect(bench.publisher.subscribe({ after: 4 }).next()).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
  });
  // Another server may know of it already.
  bench.stored.push(event(4), event(5));
  const next = bench.publisher.subscribe({ after: 5 }).next();
  await settle();
  bench.commit(event(6));
  expect(await next).toMatchObject({ value: { sequence: 6 } });
});

test('while the store is unavailable a subscriber waits, and loses nothing', async () => {
  const bench = setUp();
  for (const sequence of range(1, 40)) bench.commit(event(sequence));
  bench.reads.failures = 5;
  expect(await take(bench.publisher.subscribe({ after: 0 }), 40)).toEqual(range(1, 40));
});

test('several next() at once are answered in order', async () => {
  const bench = setUp();
  for (const sequence of range(1, 30)) bench.commit(event(sequence));
  const subscription = bench.publisher.subscribe({ after: 0 });
  const results = await Promise.all(range(1, 30).map(() => subscription.next()));
  expect(results.map(({ value }) => value?.sequence)).toEqual(range(1, 30));
});

test('under load every subscriber sees every event exactly once', async () => {
  await using harness = new Harness({ nodes: 8, limits: { eventRing: 16, eventPage: 7 } });
  const { engine } = await harness.start();
  const seen: number[][] = [];
  const subscribe = (after: number, pace: number): void => {
    const mine: number[] = [];
    seen.push(mine);
    void (async () => {
      for await (const { sequence } of engine.events({ after })) {
        mine.push(sequence);
        await settle(pace);
      }
    })();
  };
  for (let round = 0; round < 12; round += 1) {
    subscribe(0, round % 4);
    const requests = Array.from({ length: 6 }, () => engine.submit('request', bestEffort(minutes(1)), { principal }));
    await Promise.all(requests);
    await harness.pass(minutes(1), 20_000);
  }
  const last = harness.database.events.length;
  await until(() => seen.every((each) => each.length >= last), 'every subscriber to see every event');
  for (const each of seen) expect(each).toEqual(range(1, last));
});
