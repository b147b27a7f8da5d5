import { describe, expect, it } from 'vitest';
import { Scheduler, type SchedulerError, type Snapshot } from '../../src/core/index.ts';
import { request } from '../support/lease.ts';
import { Stage } from '../support/stage.ts';
import { bestEffort, configOf, FOUR_NODES, image, siteOf } from '../support/story.ts';

/** One lease runs, one waits for the future, one has ended. */
const busy = () => new Stage([bestEffort(0, 1, 60), bestEffort(1, 4, 600), bestEffort(2, 4, 600)]).to(100);

describe('a refused command', () => {
  const commands: readonly (readonly [string, string, (scheduler: Scheduler, now: number) => void])[] = [
    ['to request nonsense', 'INVALID_REQUEST', (scheduler, now) => scheduler.request(now, request({ machines: [] }))],
    [
      'to request a known number again',
      'INVALID_REQUEST',
      (scheduler, now) => scheduler.request(now, request({ id: 2 })),
    ],
    [
      'to request an unknown resource',
      'INVALID_REQUEST',
      (scheduler, now) => scheduler.request(now, request({ machines: [{ Magic: 1 }] })),
    ],
    [
      'to request a deadline without saying which',
      'INVALID_REQUEST',
      (scheduler, now) => scheduler.request(now, request({ type: 'DEADLINE' })),
    ],
    ['to cancel what has ended', 'LEASE_ENDED', (scheduler, now) => scheduler.cancel(now, 1)],
    ['to cancel what never was', 'LEASE_NOT_FOUND', (scheduler, now) => scheduler.cancel(now, 99)],
    ['to cancel nothing', 'LEASE_NOT_FOUND', (scheduler, now) => scheduler.cancel(now, 0)],
    ['to cancel no number', 'LEASE_NOT_FOUND', (scheduler, now) => scheduler.cancel(now, Number.NaN)],
    ['to end machines that do not run', 'INVALID_REQUEST', (scheduler, now) => scheduler.vmEnded(now, 3)],
    ['to end machines that have ended', 'LEASE_ENDED', (scheduler, now) => scheduler.vmEnded(now, 1)],
    ['to end machines of nobody', 'LEASE_NOT_FOUND', (scheduler, now) => scheduler.vmEnded(now, 1.5)],
    ['to count a resource that is not there', 'INVALID_REQUEST', (scheduler) => scheduler.totalCapacity('Magic')],
  ];

  it.each(commands)('%s: %s, and changes nothing', (_what, code, command) => {
    const { scheduler, now } = busy();
    const before = JSON.stringify(scheduler.snapshot());
    expect(() => command(scheduler, now * 1000)).toThrow(expect.objectContaining({ code }) as SchedulerError);
    expect(JSON.stringify(scheduler.snapshot())).toBe(before);
    expect(scheduler.takeChanges()).toEqual({
      site: null,
      leases: [],
      placedLeases: [],
      reservations: [],
      placedReservations: [],
      withdrawn: [],
      events: [],
      actions: [],
      nodes: [],
      maintenance: [],
    });
  });
});

describe('time', () => {
  it('passes every event in order on an advance to a later instant', () => {
    const { scheduler } = busy();
    scheduler.takeChanges();
    scheduler.advance(10_000_000);
    const { events } = scheduler.takeChanges();
    expect(events.map(({ at, leaseId, to }) => `${at / 1000} ${leaseId} ${to}`)).toEqual([
      '660 2 DONE',
      '660 3 ACTIVE',
      '1260 3 DONE',
    ]);
    expect(scheduler.nextInstant()).toBeNull();
    expect(scheduler.needsPass).toBe(false);
  });

  it('reports the next instant at which something is due', () => {
    const { scheduler } = busy();
    expect(scheduler.nextInstant()).toBe(660_000);
    scheduler.advance(660_000);
    expect(scheduler.nextInstant()).toBe(1_260_000);
  });

  it('carries out what a command makes due at the current instant', () => {
    const scheduler = Scheduler.create(FOUR_NODES, configOf());
    scheduler.advance(5000);
    scheduler.request(5000, request());
    scheduler.schedule(5000);
    expect(scheduler.lease(1)?.state).toBe('READY');
    scheduler.advance(5000);
    expect(scheduler.lease(1)?.state).toBe('ACTIVE');
  });
});

describe('a pass in slices', () => {
  /** Three leases, and a pass that has planned the first of them. */
  const begun = () => {
    const scheduler = Scheduler.create(FOUR_NODES, configOf());
    for (let id = 1; id <= 3; id += 1) scheduler.request(0, request());
    const pass = scheduler.pass(0);
    while (scheduler.lease(1)?.state !== 'READY') pass.next();
    return { scheduler, pass };
  };

  it('handles one lease at a time and accepts other commands in between', () => {
    const { scheduler, pass } = begun();
    expect([2, 3].map((id) => scheduler.lease(id)?.state)).toEqual(['QUEUED', 'QUEUED']);
    scheduler.cancel(0, 2);
    scheduler.request(0, request());
    while (!pass.next().done);
    expect([3, 4].map((id) => scheduler.lease(id)?.state)).toEqual(['READY', 'PENDING']);
    expect(scheduler.needsPass).toBe(true);
  });

  it('continues at the current time, with or without a time update', () => {
    for (const told of [20_000, undefined]) {
      const { scheduler, pass } = begun();
      scheduler.advance(20_000);
      while (!pass.next(told).done);
      expect(scheduler.lease(2)?.plannedStart).toBe(20_000);
      scheduler.advance(20_000);
      expect(scheduler.lease(2)?.state).toBe('ACTIVE');
    }
  });
});

describe('changes', () => {
  it('are reported once', () => {
    const { scheduler } = busy();
    scheduler.request(100_000, request());
    expect(scheduler.takeChanges().events).toHaveLength(1);
    expect(scheduler.takeChanges().events).toHaveLength(0);
  });

  it('are counted in rows (a lease, its machines and its event) until they are taken', () => {
    const scheduler = Scheduler.create(FOUR_NODES, configOf());
    const [machine = {}] = request().machines;
    scheduler.request(0, request({ machines: [machine, machine, machine] }));
    expect(scheduler.changedRows).toBe(5);
    scheduler.takeChanges();
    expect(scheduler.changedRows).toBe(0);
    scheduler.cancel(0, 1);
    expect(scheduler.changedRows).toBe(2);
  });

  it('omit a reservation that was added and withdrawn in between', () => {
    const scheduler = Scheduler.create(FOUR_NODES, configOf());
    scheduler.request(0, request());
    scheduler.schedule(0);
    scheduler.cancel(0, 1);
    const { reservations, withdrawn, leases } = scheduler.takeChanges();
    expect([reservations, withdrawn]).toEqual([[], []]);
    expect(leases).toMatchObject([{ id: 1, state: 'CANCELLED' }]);
  });

  it('tell placed leases and new reservations', () => {
    const scheduler = Scheduler.create(FOUR_NODES, configOf());
    const placed = () => {
      const { placedLeases, placedReservations } = scheduler.takeChanges();
      return [placedLeases, placedReservations];
    };
    scheduler.request(0, request());
    expect(placed()).toEqual([[1], []]);
    scheduler.schedule(0);
    expect(placed()).toEqual([[1], [1, 2]]);
    scheduler.advance(0);
    expect(placed()).toEqual([[], []]);
    scheduler.cancel(1000, 1);
    expect(placed()).toEqual([[1], []]);
  });

  it('withdraw a reservation that was reported before', () => {
    const scheduler = Scheduler.create(FOUR_NODES, configOf());
    scheduler.request(0, request());
    scheduler.schedule(0);
    expect(scheduler.takeChanges().reservations.map(({ id }) => id)).toEqual([1, 2]);
    scheduler.cancel(0, 1);
    expect(scheduler.takeChanges()).toMatchObject({ reservations: [], withdrawn: [1, 2] });
  });

  it('contain an action for everything that hosts must do, with its planned end', () => {
    const stage = new Stage([{ ...bestEffort(0, 2, 60), image: image('A') }], {
      config: { preparation: 'imagetransfer', shutdownTime: 10_000 },
    }).to(1000);
    expect(
      stage.actions.map(({ kind, at, deadline, targets }) => [
        kind,
        at / 1000,
        deadline === null ? null : deadline / 1000,
        targets.map(({ machine, node }) => `${machine}@${node}`).join(' '),
      ]),
    ).toEqual([
      ['PREPARE', 0, 82, '1@1 2@2'],
      ['START', 82, null, '1@1 2@2'],
      ['SHUTDOWN', 142, 152, '1@1 2@2'],
    ]);
    expect(stage.actions[0]?.targets[0]).toEqual({
      leaseId: 1,
      machine: 1,
      node: 1,
      toNode: null,
      capacity: { CPU: 100, Memory: 1024 },
      image: image('A'),
    });
  });
});

describe('queries', () => {
  it('return the current state', () => {
    const { scheduler } = busy();
    expect(scheduler.lease(2)).toMatchObject({ state: 'ACTIVE', mapping: { 1: 1, 2: 2, 3: 3, 4: 4 } });
    expect([scheduler.lease(1), scheduler.lease(9)]).toEqual([null, null]);
    expect([scheduler.liveLeases, scheduler.queueLength, scheduler.reservationCount]).toEqual([2, 0, 4]);
    expect([scheduler.nodeCount, scheduler.totalCapacity('CPU'), scheduler.totalCapacity('Memory')]).toEqual([
      4, 400, 4096,
    ]);
    expect([scheduler.hasLive('BEST_EFFORT'), scheduler.hasLive('IMMEDIATE')]).toEqual([true, false]);
  });
});

describe('an invalid site or configuration', () => {
  const node = { number: 1, hostname: 'a', capacity: { CPU: 100, Memory: 64 } };
  const types = ['CPU', 'Memory'];

  it.each([
    ['the site must have the resource type CPU', { resourceTypes: ['Memory'], nodes: [node] }],
    ['the site must have the resource type Memory', { resourceTypes: ['CPU'], nodes: [node] }],
    ['a resource type is named twice: CPU, Memory, CPU', { resourceTypes: [...types, 'CPU'], nodes: [node] }],
    ['"__proto__" cannot be the name of a resource type', { resourceTypes: [...types, '__proto__'], nodes: [node] }],
    ['the site has no nodes', { resourceTypes: types, nodes: [] }],
    ['numbers count up from 1, so 2 was expected', { resourceTypes: types, nodes: [node, node] }],
    ['node a has "GPU"', { resourceTypes: types, nodes: [{ ...node, capacity: { CPU: 1, Memory: 1, GPU: 1 } }] }],
    ['node a has -1 CPU', { resourceTypes: types, nodes: [{ ...node, capacity: { CPU: [100, -1], Memory: 1 } }] }],
    ['node a has 1.5 Memory', { resourceTypes: types, nodes: [{ ...node, capacity: { CPU: 1, Memory: 1.5 } }] }],
  ])('is refused: %s', (message, site) => {
    expect(() => Scheduler.create(site, configOf())).toThrow(
      expect.objectContaining({
        code: 'INVALID_SITE',
        message: expect.stringContaining(message),
      }) as SchedulerError,
    );
  });

  it.each([
    ['admission', { admission: 'bribes' }, 'there is no policy "bribes"; known are accept-all, no-ARs'],
    ['hostSelection', { hostSelection: 'toString' }, 'there is no policy "toString"; known are greedy, no-policy'],
    ['preemption', { preemption: '' }, 'known are no-preemption, ar-preempts-everything, ar-preempts-be'],
    ['shutdownTime', { shutdownTime: -1 }, 'shutdownTime is -1: expected a duration of 0 or more'],
    ['enactmentOverhead', { enactmentOverhead: 0.5 }, 'enactmentOverhead is 0.5'],
    ['overrideSuspendTime', { overrideSuspendTime: -1 }, 'overrideSuspendTime is -1'],
    ['overrideResumeTime', { overrideResumeTime: Number.NaN }, 'overrideResumeTime is NaN'],
    ['forceSchedulingThreshold', { forceSchedulingThreshold: -1 }, 'forceSchedulingThreshold is -1'],
    ['suspendRate', { suspendRate: 0 }, 'suspendRate is 0: expected a number greater than 0'],
    ['resumeRate', { resumeRate: -3 }, 'resumeRate is -3'],
    ['schedulingThresholdFactor', { schedulingThresholdFactor: -1 }, 'schedulingThresholdFactor is -1'],
    [
      'backfillingReservations',
      { backfilling: 'intermediate', backfillingReservations: -1 },
      'backfillingReservations is -1',
    ],
  ] as const)('is refused, naming %s', (key, change, message) => {
    expect(() => Scheduler.create(FOUR_NODES, configOf(change))).toThrow(
      expect.objectContaining({
        code: 'INVALID_CONFIG',
        path: [key],
        message: expect.stringContaining(message),
      }) as SchedulerError,
    );
  });

  it.each([
    ['bandwidth', 0],
    ['forceTransferTime', -1],
    ['cacheSizeMb', -2],
  ])('is refused, naming imageTransfer.%s', (key, value) => {
    const { imageTransfer } = configOf();
    const config = configOf({ imageTransfer: { ...imageTransfer, [key]: value } });
    expect(() => Scheduler.create(FOUR_NODES, config)).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG', path: ['imageTransfer', key] }) as SchedulerError,
    );
  });
});

describe('a snapshot', () => {
  const config = configOf({
    preparation: 'imagetransfer',
    imageTransfer: { ...configOf().imageTransfer, reuse: 'image-caches' },
  });

  /** Lease 1 transfers B; lease 2 owns the transfer of A that comes next, and lease 3 rides on it. */
  const riding = () =>
    new Stage(
      [
        { ...bestEffort(0, 1, 600), image: image('B') },
        { ...bestEffort(0, 1, 600), image: image('A') },
        { ...bestEffort(0, 1, 600), image: image('A') },
      ],
      { config },
    );

  it('has waiting leases examined again, because the configuration may differ', () => {
    const stage = new Stage([bestEffort(0, 4, 600), bestEffort(10, 1, 60), bestEffort(10, 1, 60)]).to(20);
    expect([stage.scheduler.queueLength, stage.scheduler.needsPass]).toEqual([1, false]);
    const restored = stage.under({ backfilling: 'conservative' });
    expect(restored.needsPass).toBe(true);
    restored.schedule(20_000);
    expect([restored.queueLength, restored.needsPass]).toEqual([0, false]);
  });

  it('distinguishes the lease that started a transfer from those that wait for it', () => {
    const stage = riding()
      .to(100)
      .do((scheduler, now) => scheduler.cancel(now, 3));
    const transfer = stage.scheduler.snapshot().reservations.find(({ kind }) => kind === 'IMAGE_TRANSFER');
    const leases = (of: Readonly<Record<string, readonly (readonly [number, number])[]>> | null | undefined) =>
      Object.values(of ?? {}).flatMap((pairs) => pairs.map(([lease]) => lease));
    expect([transfer?.state, leases(transfer?.targets), leases(transfer?.waiting)]).toEqual(['ACTIVE', [2, 3], [2]]);
  });

  it('keeps a transfer whose owner has ended, for the leases that wait for it', () => {
    const stage = riding()
      .to(50)
      .do((scheduler, now) => scheduler.cancel(now, 2));
    const restored = stage.under({});
    restored.advance(1_000_000);
    const { leases, events } = restored.takeChanges();
    expect(leases.map(({ id, state }) => `${id} ${state}`)).toEqual(['1 DONE', '3 DONE']);
    expect(events.find(({ leaseId, to }) => leaseId === 3 && to === 'READY')?.at).toBe(164_000);
  });

  it('is refused when it contradicts itself', () => {
    const { scheduler } = riding().to(50);
    const snapshot = scheduler.snapshot();
    const broken = (change: Partial<Snapshot>) => () =>
      Scheduler.restore(FOUR_NODES, config, { ...snapshot, ...change });
    expect(broken({})).not.toThrow();
    expect(broken({ leases: [] })).toThrow();
    const orphans = snapshot.reservations.map((each) => (each.kind === 'SHUTDOWN' ? { ...each, vmId: null } : each));
    expect(broken({ reservations: orphans })).toThrow(expect.objectContaining({ code: 'INTERNAL' }) as SchedulerError);
  });

  it('continues planned transfers even if the configuration no longer uses transfers', () => {
    const stage = riding().to(50);
    const restored = Scheduler.restore(FOUR_NODES, configOf(), stage.scheduler.snapshot());
    restored.request(50_000, request({ image: image('A') }));
    restored.schedule(50_000);
    restored.advance(1_000_000);
    const ready = restored.takeChanges().events.filter(({ to }) => to === 'READY');
    expect(ready.map(({ leaseId, at }) => [leaseId, at])).toEqual([
      [4, 50_000],
      [1, 82_000],
      [2, 164_000],
      [3, 164_000],
    ]);
  });
});

describe('utilization', () => {
  it('is the share of the site’s CPU in use at an instant', () => {
    const site = siteOf([4, { CPU: 100, Memory: 1024 }]);
    const stage = new Stage([bestEffort(0, 1, 60), bestEffort(0, 2, 300)], {
      site,
      config: { shutdownTime: 10_000 },
    }).to(65);
    expect(stage.scheduler.utilization(65_000)).toEqual({
      used: 0.5,
      suspending: 0,
      resuming: 0,
      shuttingDown: 0.25,
      free: 0.25,
    });
  });
});
