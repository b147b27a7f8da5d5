import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  defaultSchedulerConfig,
  type LeaseRecord,
  type ReservationRecord,
  Scheduler,
  type SiteSpec,
  type Snapshot,
} from '../../src/core/index.ts';
import { verify, verifyActions } from '../../src/engine/verify.ts';
import { Run, runs } from '../property/run.ts';
import { scenarios } from '../property/scenario.ts';
import { epoch, hours, minutes, reservationAt, siteOf } from '../support/engine-harness.ts';

const snapshotOf = (site: SiteSpec, leases: number): Snapshot => {
  const scheduler = Scheduler.create(site, { ...defaultSchedulerConfig, shutdownTime: 10_000 });
  for (let count = 0; count < leases; count += 1) {
    scheduler.request(epoch, reservationAt(epoch + hours(count), minutes(60)));
  }
  scheduler.schedule(epoch);
  scheduler.advance(epoch);
  return scheduler.snapshot();
};

const site = siteOf(1);

const codes = (snapshot: Snapshot, of = site): (readonly [string, number | null])[] =>
  verify(of, snapshot).faults.map(({ code, leaseId }) => [code, leaseId] as const);

const withReservation = (snapshot: Snapshot, lease: number, change: Partial<ReservationRecord>): Snapshot => ({
  ...snapshot,
  reservations: snapshot.reservations.map((each) => (each.leaseId === lease ? { ...each, ...change } : each)),
});

const withLease = (snapshot: Snapshot, id: number, change: Partial<LeaseRecord>): Snapshot => ({
  ...snapshot,
  leases: snapshot.leases.map((each) => (each.id === id ? { ...each, ...change } : each)),
});

describe('verification', () => {
  test("finds no errors in the scheduler's plans, which may follow each other without a gap", () => {
    const snapshot = snapshotOf(site, 5);
    const { faults, snapshot: same } = verify(site, snapshot);
    expect(faults).toEqual([]);
    expect(same).toBe(snapshot);
  });

  test('a node over capacity: the youngest lease on it is left out completely', () => {
    const snapshot = snapshotOf(site, 4);
    const broken = withReservation(snapshot, 3, { start: epoch + minutes(90), end: epoch + minutes(150) });
    const { faults, quarantined, snapshot: sound } = verify(site, broken);
    expect([...quarantined]).toEqual([3]);
    expect(faults[0]).toMatchObject({ code: 'OVER_CAPACITY', leaseId: 3 });
    expect(faults[0]?.message).toMatch(/node 1 is over capacity at 2024-01-01T01:30:00.000Z: CPU 200 of 100/);
    expect(sound.leases.map(({ id }) => id)).toEqual([1, 2, 4]);
    expect(sound.reservations.some(({ leaseId }) => leaseId === 3)).toBe(false);
    expect(verify(site, sound).faults).toEqual([]);
  });

  test('a reservation without a lease, an unknown node, an unknown state, a negative length', () => {
    const snapshot = snapshotOf(site, 2);
    const [first] = snapshot.reservations;
    if (!first) throw new Error('no reservation');
    const orphan = {
      ...snapshot,
      reservations: [...snapshot.reservations, { ...first, id: 3, leaseId: 55 }],
    };
    expect(codes(orphan)).toEqual([['ORPHAN_RESERVATION', 55]]);
    expect(codes(withReservation(snapshot, 2, { amounts: { 9: { CPU: 1 } } }))).toContainEqual(['UNKNOWN_NODE', 2]);
    expect(codes(withLease(snapshot, 2, { mapping: { 1: 9 } }))).toEqual([['UNKNOWN_NODE', 2]]);
    expect(codes(withLease(snapshot, 2, { state: 'ASLEEP' as LeaseRecord['state'] }))).toEqual([['INVALID_LEASE', 2]]);
    expect(codes(withLease(snapshot, 2, { state: 'DONE' }))).toEqual([['INVALID_LEASE', 2]]);
    expect(codes(withLease(snapshot, 2, { machines: [] }))).toEqual([['INVALID_LEASE', 2]]);
    expect(codes(withReservation(snapshot, 2, { end: epoch }))[0]).toEqual(['INVALID_RESERVATION', 2]);
    expect(codes({ ...snapshot, site: { ...snapshot.site, lastLeaseId: 1 } })).toEqual([['INVALID_LEASE', 2]]);
  });

  test('a lease of which a row cannot be read', () => {
    const snapshot = snapshotOf(site, 3);
    const unreadable = [
      { leaseId: 2, message: 'Reservation 3 of lease 2: plan: invalid' },
      { leaseId: null, message: 'Cached image 1: invalid' },
    ];
    const { faults, quarantined } = verify(site, snapshot, unreadable);
    expect(faults).toEqual([
      {
        code: 'INCOMPLETE_LEASE',
        leaseId: 2,
        reservationId: null,
        message: 'lease 2: a row of it cannot be read',
      },
    ]);
    expect([...quarantined]).toEqual([2]);
  });

  test('unknown nodes in plans, cached images and actions', () => {
    const snapshot = snapshotOf(site, 3);
    expect(codes(withReservation(snapshot, 2, { machines: { 1: 9 } }))).toContainEqual(['UNKNOWN_NODE', 2]);
    expect(codes(withReservation(snapshot, 2, { moves: { 1: [1, 9] } }))).toContainEqual(['UNKNOWN_NODE', 2]);
    const image = { name: 'debian', sizeMb: 1 };
    const cached = [9, 1].map((node) => ({ node, image, timeout: null, users: [] }));
    const found = verify(site, { ...snapshot, site: { ...snapshot.site, cachedImages: cached } });
    expect(found.faults.map(({ code, leaseId }) => [code, leaseId])).toEqual([['UNKNOWN_NODE', null]]);
    expect(found.snapshot.site.cachedImages).toEqual([cached[1]]);
    const target = { leaseId: 1, machine: 1, node: 1, toNode: null, capacity: {}, image: null };
    const action = { kind: 'MIGRATE' as const, leaseId: 1, reservationId: null, at: epoch, deadline: null };
    const actions = [
      { ...action, id: 1, targets: [target] },
      { ...action, id: 2, targets: [{ ...target, toNode: 9 }] },
    ];
    const { faults, sound } = verifyActions(site, actions);
    expect(sound).toEqual([actions[0]]);
    expect(faults.map(({ message }) => message)).toEqual(['action 2 of lease 1: the site has no node 9']);
  });

  test('a lease whose plan is incomplete', () => {
    const snapshot = snapshotOf(site, 2);
    const without = (kind: ReservationRecord['kind']): Snapshot => ({
      ...snapshot,
      reservations: snapshot.reservations.filter((each) => each.leaseId !== 2 || each.kind !== kind),
    });
    const messages = (of: Snapshot) => verify(site, of).faults.map(({ code, message }) => [code, message]);
    expect(messages(without('VM'))).toEqual([
      ['INCOMPLETE_LEASE', 'lease 2: it is READY and has no reservation of kind VM'],
    ]);
    const vm = snapshot.reservations.find(({ leaseId, kind }) => leaseId === 2 && kind === 'VM');
    const bare = (change: Partial<ReservationRecord>): Snapshot => ({
      ...snapshot,
      reservations: snapshot.reservations.map((each) => (each === vm ? { ...each, ...change } : each)),
    });
    expect(messages(bare({ amounts: {} }))).toEqual([
      ['INCOMPLETE_LEASE', `lease 2: reservation ${vm?.id} holds nothing on node 1, where its machines are`],
    ]);
    expect(messages(bare({ machines: {} }))).toEqual([
      ['INCOMPLETE_LEASE', `lease 2: reservation ${vm?.id} maps machine 1 to no node`],
    ]);
  });

  test('finds no errors in any state of the scheduler', () => {
    fc.assert(
      fc.property(scenarios(), (scenario) => {
        const run = new Run(scenario);
        for (const { at } of run) {
          expect(verify(scenario.site, run.scheduler.snapshot()).faults, `at ${at}`).toEqual([]);
        }
      }),
      { numRuns: runs(200) },
    );
  }, 120_000);

  test('an image transfer may continue for leases other than its owner', () => {
    const snapshot = snapshotOf(site, 1);
    const [first] = snapshot.reservations;
    if (!first) throw new Error('no reservation');
    const transfer: ReservationRecord = {
      ...first,
      id: first.id,
      leaseId: 55,
      kind: 'IMAGE_TRANSFER',
      amounts: {},
      machines: null,
      targets: { 1: [[1, 1]] },
    };
    expect(codes({ ...snapshot, reservations: [...snapshot.reservations, transfer] })).toEqual([]);
  });

  test('each instance of a resource is checked separately', () => {
    const dual: SiteSpec = {
      resourceTypes: ['CPU', 'Memory'],
      nodes: [{ number: 1, hostname: 'n', capacity: { CPU: [100, 100], Memory: 1024 } }],
    };
    const planned = snapshotOf(siteOf(1), 2);
    const snapshot = { ...planned, reservations: planned.reservations.filter(({ kind }) => kind === 'VM') };
    const at = { start: epoch, end: epoch + hours(1) };
    const both = (one: number[], other: number[]): Snapshot =>
      withReservation(withReservation(snapshot, 1, { ...at, amounts: { 1: { CPU: one, Memory: 512 } } }), 2, {
        ...at,
        amounts: { 1: { CPU: other, Memory: 512 } },
      });
    expect(codes(both([100, 0], [0, 100]), dual)).toEqual([]);
    expect(codes(both([100, 0], [1, 0]), dual)).toEqual([['OVER_CAPACITY', 2]]);
  });

  test('after any reservation is moved, the remaining state has no errors', () => {
    const snapshot = snapshotOf(siteOf(2), 12);
    const moved = fc.array(
      fc.record({ lease: fc.integer({ min: 1, max: 12 }), hours: fc.integer({ min: -6, max: 6 }) }),
    );
    fc.assert(
      fc.property(moved, (moves) => {
        const shift = new Map(moves.map(({ lease, hours: by }) => [lease, hours(by)]));
        const broken: Snapshot = {
          ...snapshot,
          reservations: snapshot.reservations.map((each) => {
            const by = shift.get(each.leaseId) ?? 0;
            return { ...each, start: each.start + by, end: each.end + by };
          }),
        };
        const { quarantined, snapshot: sound } = verify(siteOf(2), broken);
        expect(verify(siteOf(2), sound).faults).toEqual([]);
        expect(sound.leases.length + quarantined.size).toBe(12);
        expect(() => Scheduler.restore(siteOf(2), defaultSchedulerConfig, sound)).not.toThrow();
      }),
    );
  });
});
