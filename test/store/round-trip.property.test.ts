import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Amounts, LeaseRecord, RecurrenceRecord, ReservationRecord, StateReason } from '../../src/core/index.ts';
import type { WriterTerm } from '../../src/engine/ports.ts';
import type { OpenStore } from '../../src/store/index.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { action, batch, event, lease, newSite, reservation } from './site.ts';

// Neither here nor at the server (test/support/postgres.ts) is the time zone UTC, and both have daylight saving.
const timezone = process.env.TZ;
beforeAll(() => {
  process.env.TZ = 'America/Mexico_City';
});
afterAll(() => {
  if (timezone === undefined) delete process.env.TZ;
  else process.env.TZ = timezone;
});

const instant = fc.oneof(
  fc.integer({ min: Date.parse('0001-01-01T00:00:00Z'), max: Date.parse('9999-12-31T23:59:59.999Z') }),
  // Around changes to and from daylight saving, where local times come twice or never.
  fc
    .constantFrom('1996-04-07T08:00Z', '2022-10-30T07:00Z', '2026-03-08T05:30Z', '2026-11-01T03:30Z')
    .chain((text) => fc.integer({ min: -3_700_000, max: 3_700_000 }).map((offset) => Date.parse(text) + offset)),
);
const count = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
const text = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\0'));
const node = fc.integer({ min: 1, max: 4 });
const reason: fc.Arbitrary<StateReason | null> = optional(
  fc
    .record({
      code: text,
      message: text,
      data: fc.option(fc.record({ preemptor: count, lostDuration: count, start: instant }, { requiredKeys: [] }), {
        nil: undefined,
      }),
    })
    .map(({ data, ...rest }) => (data === undefined ? rest : { ...rest, data })),
);
const image = optional(fc.record({ name: text, sizeMb: count }));
const amount = fc.oneof(count, fc.double({ min: 0, max: 1e9, noNaN: true, noDefaultInfinity: true }), fc.array(count));
const amounts: fc.Arbitrary<Amounts> = fc
  .dictionary(fc.constantFrom('CPU', 'Memory', 'GPU', 'net in', 'Ä"\\'), amount.map(noNegativeZero))
  .map((value) => ({ ...value }));
const byNumber = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.dictionary(node.map(String), arbitrary).map((value) => ({ ...value }));
const pairs = fc.array(fc.tuple(count, count), { maxLength: 3 });

const positive = fc.integer({ min: 1, max: 2 ** 31 - 1 });
const recurrences: fc.Arbitrary<RecurrenceRecord> = fc.record({
  id: fc.constant(0),
  name: optional(text),
  machines: fc.array(amounts, { minLength: 1, maxLength: 3 }),
  preemptible: fc.boolean(),
  image,
  owner: optional(text),
  project: optional(positive),
  collisions: fc.constantFrom('ALL_OR_NOTHING', 'SKIP'),
  rule: text,
  timeZone: text,
  firstStart: text,
  createdAt: instant,
  terms: fc.array(fc.record({ from: positive, duration: count, shift: fc.integer() }), {
    minLength: 1,
    maxLength: 3,
  }),
  next: optional(fc.record({ index: positive, day: text, start: instant })),
  lastIndex: optional(fc.nat()),
  skipped: fc.array(fc.record({ index: positive, start: instant, reason: reason.filter((each) => each !== null) }), {
    maxLength: 2,
  }),
  cancelledAt: optional(instant),
});

const leases: fc.Arbitrary<LeaseRecord> = fc.record({
  id: fc.constant(0),
  name: optional(text),
  type: fc.constantFrom('BEST_EFFORT', 'ADVANCE_RESERVATION', 'IMMEDIATE', 'DEADLINE'),
  state: fc.constantFrom('NEW', 'PENDING', 'SCHEDULED', 'QUEUED', 'ACTIVE', 'SUSPENDED_QUEUED', 'RESUMED_READY'),
  reason,
  submittedAt: instant,
  requestedStart: optional(instant),
  originalDuration: count,
  duration: count,
  knownDuration: optional(count),
  accumulated: count,
  restarts: fc.nat(),
  lostDuration: count,
  preemptible: fc.boolean(),
  machines: fc.array(amounts, { minLength: 1, maxLength: 4 }),
  image,
  actualStart: optional(instant),
  plannedStart: optional(instant),
  endedAt: optional(instant),
  queueRank: optional(count),
  isFuture: fc.boolean(),
  deadline: optional(instant),
  isWithoutPlace: fc.boolean(),
  preemptions: count,
  owner: optional(text),
  project: optional(fc.integer({ min: 1, max: 2 ** 31 - 1 })),
  endNotice: optional(fc.integer({ min: 0, max: 2 ** 48 })),
  occurrenceOf: optional(fc.record({ recurrence: fc.constant(0), index: positive })),
  mapping: optional(byNumber(node)),
  memoryAt: byNumber(node),
  diskAt: byNumber(node),
});

const reservations: fc.Arbitrary<ReservationRecord> = fc
  .record({
    id: fc.constant(0),
    leaseId: fc.constant(0),
    kind: fc.constantFrom('VM', 'SHUTDOWN', 'SUSPENSION', 'RESUMPTION', 'MEMORY_MIGRATION', 'IMAGE_TRANSFER'),
    state: fc.constantFrom('SCHEDULED', 'ACTIVE'),
    start: instant,
    end: instant,
    amounts: byNumber(amounts),
    machines: optional(byNumber(node)),
    moves: optional(byNumber(fc.tuple(node, node))),
    waiting: optional(byNumber(pairs)),
    targets: optional(byNumber(pairs)),
    image,
    vmId: optional(count),
    preemptor: optional(count),
    chainIndex: fc.integer(),
    startRank: count,
    endRank: count,
  })
  .map((one) => (one.kind === 'IMAGE_TRANSFER' ? { ...one, amounts: { ...one.amounts, 1000: { out: 1 } } } : one))
  .map((one) => ({ ...one, start: Math.min(one.start, one.end), end: Math.max(one.start, one.end) }));

describeEachDatabase('what is kept', (database) => {
  let store: OpenStore;
  let writer: WriterTerm;
  let previous: string | null = null;
  let number = 0;

  beforeAll(async () => {
    expect(new Date(2026, 0, 1).getTimezoneOffset()).toBe(360);
    const { open } = await database.create();
    store = await open();
    writer = await newSite(store);
    previous = null;
    number = 0;
  });

  it('is read back unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(
        leases,
        fc.array(reservations, { maxLength: 3 }),
        reason,
        instant,
        recurrences,
        async (one, held, why, at, series) => {
          const id = ++number;
          const kept = {
            ...one,
            id,
            occurrenceOf: one.occurrenceOf && { ...one.occurrenceOf, recurrence: id },
          };
          const recurrence = { ...series, id };
          const rows = held.map((row, index) => ({ ...row, id: 10 * id + index, leaseId: id }));
          const happened = event(id, id, { at, reason: why, from: 'ACTIVE', to: 'SUSPENDING' });
          const todo = action(id, id, { at, deadline: one.plannedStart, reservationId: rows[0]?.id ?? null });
          const written = batch(previous, {
            leases: [kept],
            recurrences: [recurrence],
            reservations: rows,
            events: [happened],
            actions: [todo],
          });
          await store.commit(written, writer);
          previous = written.id;
          const loaded = await store.load();
          expect(loaded?.unreadable).toEqual([]);
          expect(loaded?.snapshot.leases.find((row) => row.id === id)).toEqual(kept);
          expect(loaded?.snapshot.reservations.filter((row) => row.leaseId === id)).toEqual(rows);
          const isOpen = recurrence.next !== null || kept.occurrenceOf !== null;
          expect(loaded?.snapshot.recurrences?.find((row) => row.id === id)).toEqual(isOpen ? recurrence : undefined);
          expect(loaded?.pendingActions.find((row) => row.id === id)).toEqual(todo);
          expect(await store.events(id - 1, 1)).toEqual([happened]);
          const seen = await store.prisma.lease.findUniqueOrThrow({
            where: { number: id },
            include: { reservations: { orderBy: { number: 'asc' } }, machines: true },
          });
          expect(seen.submittedAt.getTime()).toBe(one.submittedAt);
          expect(seen.plannedStart?.getTime() ?? null).toBe(one.plannedStart);
          expect(Number(seen.duration)).toBe(one.duration);
          expect(seen.reservations.map((row) => row.start.getTime())).toEqual(rows.map((row) => row.start));
          expect(seen.machines).toHaveLength(one.machines.length);
          const between = { gte: new Date(at), lte: new Date(at) };
          expect(await store.prisma.leaseEvent.count({ where: { sequence: id, at: between } })).toBe(1);
        },
      ),
      { numRuns: 60, interruptAfterTimeLimit: 40_000 },
    );
  });

  it('keeps an amount of every size', async () => {
    const id = ++number;
    const kept = lease(id, { machines: [{ CPU: 0, Memory: Number.MAX_SAFE_INTEGER, GPU: [0.1, 1e-7] }] });
    const held = reservation(10 * id, id, {
      amounts: { 4: { CPU: [50, 0], Memory: 1.5 } },
      machines: { 1: 4 },
    });
    const written = batch(previous, { leases: [kept], reservations: [held] });
    await store.commit(written, writer);
    previous = written.id;
    const loaded = await store.load();
    expect(loaded?.snapshot.leases.at(-1)).toEqual(kept);
    expect(loaded?.snapshot.reservations.at(-1)).toEqual(held);
  });
});

function noNegativeZero(value: number | number[]): number | number[] {
  return value === 0 ? 0 : value;
}
