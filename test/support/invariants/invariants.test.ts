import { describe, expect, it } from 'vitest';
import type { LeaseEventRecord, LeaseRecord, ReservationRecord, SiteSpec } from '../../../src/core/index.ts';
import {
  advanceReservationFaults,
  capacityFaults,
  chainFaults,
  expectNoFaults,
  type History,
  historyFaults,
  machineFaults,
  pathFaults,
  planFaults,
  runTimeFaults,
  sequenceFaults,
  unfinishedFaults,
} from './index.ts';

const site: SiteSpec = {
  resourceTypes: ['CPU', 'Memory'],
  nodes: [
    { number: 1, hostname: 'n1', capacity: { CPU: [100, 100], Memory: 1024 } },
    { number: 2, hostname: 'n2', capacity: { CPU: [100, 100], Memory: 1024 } },
  ],
};

const reservation = (id: number, changes: Partial<ReservationRecord> = {}): ReservationRecord => ({
  id,
  leaseId: id,
  kind: 'VM',
  state: 'DONE',
  start: 0,
  end: 1000,
  amounts: { 1: { CPU: [100, 0], Memory: 512 } },
  machines: { 1: 1 },
  moves: null,
  waiting: null,
  targets: null,
  image: null,
  vmId: null,
  preemptor: null,
  chainIndex: 0,
  startRank: id,
  endRank: id,
  ...changes,
});

const lease = (id: number, changes: Partial<LeaseRecord> = {}): LeaseRecord => ({
  id,
  name: null,
  type: 'BEST_EFFORT',
  state: 'DONE',
  reason: null,
  submittedAt: 0,
  requestedStart: null,
  originalDuration: 1000,
  duration: 1000,
  knownDuration: null,
  accumulated: 1000,
  restarts: 0,
  lostDuration: 0,
  preemptible: true,
  machines: [{ CPU: 100, Memory: 512 }],
  image: null,
  actualStart: 0,
  plannedStart: null,
  endedAt: 1000,
  queueRank: null,
  isFuture: false,
  deadline: null,
  isWithoutPlace: false,
  preemptions: 0,
  owner: null,
  project: null,
  occurrenceOf: null,
  mapping: { 1: 1 },
  memoryAt: {},
  diskAt: {},
  ...changes,
});

const event = (
  sequence: number,
  leaseId: number,
  at: number,
  from: LeaseEventRecord['from'],
  to: LeaseEventRecord['to'],
): LeaseEventRecord => ({ sequence, leaseId, at, from, to, reason: null });

const history = (changes: Partial<History>): History => ({
  leases: [],
  reservations: [],
  events: [],
  ...changes,
});

describe('capacity', () => {
  const other = (changes: Partial<ReservationRecord>) =>
    capacityFaults(site, [reservation(1), reservation(2, changes)]);

  it('may be held wholly, in each instance', () => {
    expect(other({ amounts: { 1: { CPU: [0, 100], Memory: 512 } } })).toEqual([]);
    expect(other({ amounts: { 2: { CPU: [100, 0], Memory: 512 } } })).toEqual([]);
  });

  it('may not be exceeded, in any instance of a type', () => {
    expect(other({ amounts: { 1: { CPU: [1, 0] } } })).toEqual([
      'node 1: CPU (instance 0) at 0: 101 of 100 held by reservations 1, 2',
    ]);
    expect(other({ amounts: { 1: { CPU: [0, 101] } } })).toEqual([
      'node 1: CPU (instance 1) at 0: 101 of 100 held by reservations 2',
    ]);
    expect(other({ amounts: { 1: { CPU: [0, 0, 1] } } })).toEqual([
      'node 1: CPU (instance 2) at 0: 1 of 0 held by reservations 2',
    ]);
    expect(other({ amounts: { 1: { Memory: 513 } } })).toEqual([
      'node 1: Memory at 0: 1025 of 1024 held by reservations 1, 2',
    ]);
  });

  it('may not be exceeded at any instant, and ends come before starts', () => {
    const all = { amounts: { 1: { CPU: [100, 100], Memory: 1024 } } };
    expect(other({ ...all, start: 1000, end: 2000 })).toEqual([]);
    expect(other({ ...all, start: 999, end: 2000 })).toHaveLength(2);
    expect(other({ ...all, start: 500, end: 500 })).toEqual([]);
  });

  it('must be held in numbers', () => {
    expect(other({ amounts: { 1: { CPU: [Number.NaN, 0] } } })).toEqual([
      'node 1: CPU (instance 0) NaN held by reservation 2: not an amount',
    ]);
    expect(other({ amounts: { 1: { Memory: -1 } } })).toEqual([
      'node 1: Memory -1 held by reservation 2: not an amount',
    ]);
  });

  it('counts operations round a VM, and no image transfers', () => {
    for (const kind of ['VM', 'SUSPENSION', 'RESUMPTION', 'SHUTDOWN'] as const)
      expect(other({ kind }), kind).toHaveLength(1);
    for (const kind of ['IMAGE_TRANSFER', 'MEMORY_MIGRATION', 'DISK_MIGRATION'] as const)
      expect(other({ kind }), kind).toEqual([]);
  });
});

describe('machines', () => {
  const two = lease(1, { machines: [{ CPU: 50 }, { CPU: [100, 50] }] });

  it('hold what they ask for, every share in one instance', () => {
    const amounts = { 1: { CPU: [100, 100] } };
    expect(machineFaults(site, two, reservation(1, { machines: { 1: 1, 2: 1 }, amounts }))).toEqual([]);
  });

  it('do not straddle instances, hold less or hold more', () => {
    for (const CPU of [
      [175, 25],
      [100, 50],
      [100, 100, 10],
    ])
      expect(machineFaults(site, two, reservation(1, { machines: { 1: 1, 2: 1 }, amounts: { 1: { CPU } } }))).toEqual([
        `reservation 1 holds ${CPU} CPU on node 1, for shares of 50,100,50`,
      ]);
  });

  it('are all there, and hold nothing elsewhere', () => {
    const amounts = { 1: { CPU: [50, 0] }, 2: { CPU: [1, 0] } };
    expect(machineFaults(site, two, reservation(1, { machines: { 1: 1 }, amounts }))).toEqual([
      'reservation 1 has 1 of 2 machines',
      'reservation 1 holds something on node 2, without a machine',
    ]);
  });
});

describe('chains', () => {
  const vm = reservation(1);
  const shutdown = (changes: Partial<ReservationRecord>) =>
    chainFaults([
      vm,
      reservation(2, {
        leaseId: 1,
        kind: 'SHUTDOWN',
        vmId: 1,
        chainIndex: 1,
        start: 1000,
        end: 1010,
        ...changes,
      }),
    ]);

  it('follow without a gap and hold the same', () => {
    expect(shutdown({})).toEqual([]);
    expect(shutdown({ start: 1001 })).toEqual(['reservation 2 starts at 1001, and 1 before it ends at 1000']);
    expect(shutdown({ start: 1000, end: 999 })).toEqual(['reservation 2 ends before it starts']);
    expect(shutdown({ amounts: {} })).toEqual(['reservation 2 holds other amounts than its chain']);
    expect(shutdown({ start: 1001, state: 'CANCELLED' })).toEqual([]);
  });
});

describe('events', () => {
  const path = [event(1, 1, 0, 'NEW', 'PENDING'), event(2, 1, 5, 'PENDING', 'QUEUED')];

  it('are numbered without gaps', () => {
    expect(sequenceFaults(path)).toEqual([]);
    expect(sequenceFaults([{ sequence: 1 }, { sequence: 3 }])).toEqual(['event 3 follows event 1']);
    expect(sequenceFaults([{ sequence: 1 }, { sequence: 1 }])).toEqual(['event 1 follows event 1']);
  });

  it('are a path through the states, forward in time', () => {
    expect(pathFaults([{ id: 1, state: 'QUEUED' }], path)).toEqual([]);
    expect(pathFaults([{ id: 1, state: 'ACTIVE' }], path)).toEqual(['lease 1 is ACTIVE, but its events end in QUEUED']);
    expect(pathFaults([{ id: 1, state: 'PENDING' }], [event(1, 1, 0, 'QUEUED', 'PENDING')])).toEqual([
      'event 1: lease 1 leaves QUEUED, but was NEW',
      'event 1: QUEUED does not lead to PENDING',
    ]);
    expect(pathFaults([], path.slice(0, 1))).toEqual(['event 1 is of lease 1, which is not there']);
    const back = [event(1, 1, 6, 'NEW', 'PENDING'), event(2, 1, 5, 'PENDING', 'QUEUED')];
    expect(pathFaults([{ id: 1, state: 'QUEUED' }], back)).toEqual(['event 2 happened before the one before it']);
  });

  it('tell what ends before what takes its place', () => {
    const all = { amounts: { 1: { CPU: [100, 100], Memory: 1024 } } };
    const runs = {
      leases: [lease(1), lease(2)],
      reservations: [reservation(1, all), reservation(2, { ...all, start: 1000, end: 2000 })],
    };
    const [start1, end1] = [event(1, 1, 0, 'READY', 'ACTIVE'), event(2, 1, 1000, 'ACTIVE', 'DONE')];
    const start2 = event(3, 2, 1000, 'READY', 'ACTIVE');
    expect(historyFaults(site, history({ ...runs, events: [start1, end1, start2] }))).toEqual([]);
    expect(historyFaults(site, history({ ...runs, events: [start1, start2, end1] }))).toHaveLength(3);
    expect(historyFaults(site, history({ ...runs, events: [event(1, 3, 0, 'READY', 'ACTIVE')] }))).toEqual([
      'lease 3 began at 0 without a reservation',
    ]);
  });
});

describe('what leases get', () => {
  it('is counted as their runs', () => {
    const runs = history({ leases: [lease(1, { accumulated: 900 })], reservations: [reservation(1)] });
    expect(historyFaults(site, runs)).toEqual(['lease 1 has accumulated 900 ms, its runs come to 1000']);
    expect(runTimeFaults(runs)).toEqual(['lease 1 ran 900 ms, expected 1000']);
    expect(runTimeFaults(runs, new Set([1]))).toEqual([]);
    const never = history({ leases: [lease(1)] });
    expect(runTimeFaults(never)).toEqual(['lease 1 is DONE and never ran']);
  });

  it('starts again from nothing after a requeue, and the loss is counted', () => {
    const lost = { code: 'PREEMPTED', message: '', data: { lostDuration: 700 } };
    const runs = history({
      leases: [lease(1, { restarts: 1, lostDuration: 700 })],
      reservations: [
        reservation(1, { state: 'CANCELLED', end: 700 }),
        reservation(2, { leaseId: 1, start: 700, end: 1700 }),
      ],
      events: [event(1, 1, 0, 'READY', 'ACTIVE'), { ...event(2, 1, 700, 'ACTIVE', 'QUEUED'), reason: lost }],
    });
    expect(historyFaults(site, runs)).toEqual([]);
    expect(historyFaults(site, { ...runs, leases: [lease(1)] })).toEqual([
      'lease 1 has lost 0 runs of 0 ms, its events say 1 of 700 ms',
    ]);
  });

  it('is exactly what an advance reservation asked for', () => {
    const reserved = (changes: Partial<LeaseRecord>, vm: Partial<ReservationRecord> = {}) =>
      advanceReservationFaults(
        history({
          leases: [lease(1, { type: 'ADVANCE_RESERVATION', requestedStart: 0, ...changes })],
          reservations: [reservation(1, vm), reservation(2, { leaseId: 1, kind: 'SHUTDOWN', start: 1000, vmId: 1 })],
          events: [event(1, 1, 0, 'PENDING', 'SCHEDULED')],
        }),
      );
    expect(reserved({})).toEqual([]);
    expect(reserved({ state: 'CANCELLED' })).toEqual([]);
    expect(reserved({ state: 'FAILED' })).toEqual(['lease 1 was accepted and became FAILED']);
    expect(reserved({}, { start: 1 })).toEqual(['lease 1 started at 1, and not at 0']);
    expect(reserved({ endedAt: 999 })).toEqual(['lease 1 ended at 999, expected 1000']);
    expect(reserved({}, { leaseId: 9 })).toEqual(['lease 1 ran 0 times']);
  });

  it('comes to an end', () => {
    expect(unfinishedFaults({ leases: [lease(1), lease(2, { state: 'QUEUED' })] })).toEqual([
      'lease 2 is QUEUED at the end',
    ]);
  });

  it('is planned on what there is', () => {
    const planned = history({
      leases: [lease(1, { machines: [{ CPU: 100, Memory: 500 }] })],
      reservations: [reservation(1, { state: 'SCHEDULED' })],
    });
    expect(planFaults(site, planned)).toEqual(['reservation 1 holds 512 Memory on node 1, for shares of 500']);
  });
});

describe('faults', () => {
  it('become one error that names the first ten', () => {
    expect(() => expectNoFaults([])).not.toThrow();
    expect(() => expectNoFaults(['a', 'b'])).toThrow('a\nb');
    expect(() => expectNoFaults(Array.from({ length: 12 }, (_, i) => `f${i}`))).toThrow(/f9\n… 12 faults in all$/);
  });
});
