import { describe, expect, it } from 'vitest';
import {
  defaultSchedulerConfig,
  HOUR,
  type LeaseRequest,
  type Quota,
  Scheduler,
  type SchedulerConfig,
  SECOND,
  type SiteSpec,
} from '../../../src/core/index.ts';

const MINUTE = 60 * SECOND;
const site: SiteSpec = {
  resourceTypes: ['CPU', 'Memory'],
  nodes: [1, 2, 3, 4].map((number) => ({
    number,
    hostname: `node-${number}`,
    capacity: { CPU: 100, Memory: 1024 },
  })),
};
const cpu = (limits: Partial<Quota>): Quota => ({
  ...{ type: 'CPU', amount: null, amountHours: null, period: null, maxDuration: null, maxLeases: null },
  ...limits,
});

function schedulerWith(quotas: readonly Quota[], config: Partial<SchedulerConfig> = {}): Scheduler {
  const scheduler = Scheduler.create(site, { ...defaultSchedulerConfig, ...config });
  scheduler.setQuotas(0, 1, quotas);
  return scheduler;
}

const bestEffort = (count: number, duration: number, project: number | null = 1): LeaseRequest => ({
  ...{ type: 'BEST_EFFORT', duration, preemptible: true, project },
  machines: new Array(count).fill({ CPU: 100, Memory: 512 }),
});
const reserved = (count: number, start: number, duration: number, project: number | null = 1): LeaseRequest => ({
  ...bestEffort(count, duration, project),
  ...{ type: 'ADVANCE_RESERVATION', start, preemptible: false },
});

/** Requests a lease and decides it. */
function ask(scheduler: Scheduler, now: number, request: LeaseRequest) {
  const { id } = scheduler.request(now, request);
  scheduler.schedule(now);
  const lease = scheduler.takeChanges().leases.find((each) => each.id === id);
  return { id, state: lease?.state, reason: lease?.reason, start: lease?.plannedStart };
}

describe('an amount at any instant', () => {
  it('makes leases of its project wait without blocking those of others', () => {
    const scheduler = schedulerWith([cpu({ amount: 200 })], { backfilling: 'off' });
    expect(ask(scheduler, 0, bestEffort(2, HOUR)).state).toBe('READY');
    scheduler.advance(0);
    expect(ask(scheduler, 0, bestEffort(1, HOUR)).state).toBe('QUEUED');
    expect(scheduler.waiting(0, 2)).toMatchObject({ code: 'QUOTA', blockedBy: [1] });
    expect(ask(scheduler, 0, bestEffort(2, HOUR, 2)).state).toBe('READY');
    scheduler.advance(HOUR);
    scheduler.schedule(HOUR);
    expect(scheduler.lease(2)?.state).toBe('READY');
  });

  it('counts planned leases, and refuses a reservation with the remaining amount', () => {
    const scheduler = schedulerWith([cpu({ amount: 300 })]);
    expect(ask(scheduler, 0, reserved(2, HOUR, HOUR)).state).toBe('READY');
    const later = reserved(2, HOUR + 30 * MINUTE, HOUR);
    const reason = {
      code: 'QUOTA_EXCEEDED',
      message: 'of the 300 CPU of its project 100 are left then, and the lease needs 200',
    };
    expect(scheduler.dryRun(0, later)).toMatchObject({
      ...{ accepted: false, reason, firstPossibleStart: 2 * HOUR },
    });
    expect(ask(scheduler, 0, later)).toMatchObject({ state: 'REJECTED', reason });
    expect(ask(scheduler, 0, { ...later, project: 2 }).state).toBe('READY');
    const question = { machines: later.machines, duration: HOUR, preemptible: false, from: 0, to: 3 * HOUR };
    expect(scheduler.availability(0, { ...question, project: 1 }).windows).toEqual([
      { start: 0, end: 1 },
      { start: 2 * HOUR, end: 3 * HOUR },
    ]);
  });

  it('refuses at once what it can never allow', () => {
    const scheduler = schedulerWith([cpu({ amount: 200 })]);
    expect(ask(scheduler, 0, bestEffort(3, HOUR))).toMatchObject({
      state: 'REJECTED',
      reason: {
        code: 'QUOTA_EXCEEDED',
        message: 'its project may hold 200 CPU at any instant, and the lease requests 300',
      },
    });
  });

  it('does not stop running leases when it is lowered', () => {
    const scheduler = schedulerWith([]);
    ask(scheduler, 0, bestEffort(3, HOUR));
    scheduler.advance(0);
    scheduler.setQuotas(MINUTE, 1, [cpu({ amount: 100 })]);
    expect(scheduler.quotas(MINUTE, 1)).toMatchObject([{ held: 300, leases: 1 }]);
    scheduler.advance(30 * MINUTE);
    expect(scheduler.lease(1)?.state).toBe('ACTIVE');
    expect(ask(scheduler, 30 * MINUTE, bestEffort(1, HOUR)).state).toBe('READY');
    expect(scheduler.lease(2)?.plannedStart).toBe(HOUR);
  });
});

describe('amount-hours per period', () => {
  const quota = cpu({ amountHours: 150, period: 4 * HOUR });

  it('count running time and start again with each period', () => {
    const scheduler = schedulerWith([quota]);
    ask(scheduler, 0, bestEffort(1, HOUR));
    scheduler.advance(HOUR);
    expect(scheduler.quotas(HOUR, 1)).toEqual([{ quota, held: 0, usedHours: 100, periodStart: 0, leases: 0 }]);
    expect(ask(scheduler, HOUR, reserved(1, 2 * HOUR, HOUR))).toMatchObject({
      state: 'REJECTED',
      reason: {
        code: 'QUOTA_EXCEEDED',
        message: 'of the 150 CPU hours of its project per 4h, 50 are left then, and the lease needs 100',
      },
    });
    expect(ask(scheduler, HOUR, reserved(1, 3.5 * HOUR, HOUR)).state).toBe('READY');
    expect(ask(scheduler, HOUR, bestEffort(1, HOUR))).toMatchObject({ start: 4 * HOUR });
  });

  it('survive a snapshot, and are refunded by machines that end early', () => {
    const scheduler = schedulerWith([quota]);
    ask(scheduler, 0, bestEffort(1, HOUR));
    scheduler.advance(0);
    scheduler.vmEnded(30 * MINUTE, 1);
    const snapshot = scheduler.snapshot();
    expect(snapshot.quotas).toEqual([
      { project: 1, quotas: [quota], usage: [{ type: 'CPU', periodStart: 0, used: 50 * HOUR }] },
    ]);
    const restored = Scheduler.restore(site, defaultSchedulerConfig, snapshot);
    expect(restored.quotas(30 * MINUTE, 1)).toMatchObject([{ usedHours: 50 }]);
    expect(ask(restored, 30 * MINUTE, reserved(1, HOUR, HOUR)).state).toBe('READY');
    expect(ask(restored, 30 * MINUTE, reserved(1, 2 * HOUR, 1)).state).toBe('REJECTED');
  });
});

describe('the maximum duration and the number of leases', () => {
  it('are checked when a lease is requested', () => {
    const scheduler = schedulerWith([cpu({ maxDuration: HOUR, maxLeases: 1 })]);
    expect(ask(scheduler, 0, bestEffort(1, 2 * HOUR)).reason?.message).toBe(
      'leases of its project may last 1h, and this one requests 2h',
    );
    expect(ask(scheduler, 0, bestEffort(1, HOUR)).state).toBe('READY');
    expect(ask(scheduler, 0, bestEffort(1, HOUR)).reason?.message).toBe(
      'its project has 1 leases that have not ended, and may have 1',
    );
  });

  it('limit an extension, which is shortened to the maximum on request', () => {
    const scheduler = schedulerWith([cpu({ maxDuration: 90 * MINUTE })]);
    ask(scheduler, 0, bestEffort(1, HOUR));
    scheduler.advance(0);
    expect(() => scheduler.update(MINUTE, 1, { duration: 2 * HOUR })).toThrow(
      expect.objectContaining({
        code: 'QUOTA_EXCEEDED',
        message: 'The quota of its project allows lease 1 to last 1h30m, not 2h.',
        details: { maxDuration: 90 * MINUTE },
      }),
    );
    scheduler.update(MINUTE, 1, { duration: 2 * HOUR, asFarAsPossible: true });
    expect(scheduler.lease(1)?.duration).toBe(90 * MINUTE);
  });
});

describe('an extension', () => {
  it('is refused with the maximum duration that the quota leaves', () => {
    const scheduler = schedulerWith([cpu({ amount: 200 })]);
    ask(scheduler, 0, reserved(1, 0, HOUR));
    ask(scheduler, 0, reserved(2, 2 * HOUR, HOUR));
    scheduler.advance(0);
    expect(() => scheduler.update(MINUTE, 1, { duration: 3 * HOUR })).toThrow(
      expect.objectContaining({ code: 'QUOTA_EXCEEDED', details: { maxDuration: 2 * HOUR } }),
    );
    scheduler.update(MINUTE, 1, { duration: 2 * HOUR });
    expect(scheduler.lease(1)?.duration).toBe(2 * HOUR);
  });
});

describe('invalid quotas', () => {
  it.each<[string, readonly Quota[]]>([
    [
      'The site has no resource type "GPU"; it has CPU, Memory, Disk, Net-in, Net-out.',
      [cpu({ type: 'GPU', amount: 1 })],
    ],
    ['There are two quotas for CPU; combine them into one.', [cpu({ amount: 1 }), cpu({ amount: 2 })]],
    ['A quota with amountHours needs a period, and a period needs amountHours.', [cpu({ amountHours: 1 })]],
    ['The period of a quota is an hour at least, not 1m.', [cpu({ amountHours: 1, period: MINUTE })]],
    ['The quota for CPU has no limit; give it one, or leave it out.', [cpu({})]],
    ['The amount of a quota is a whole number of 0 or more, not -1.', [cpu({ amount: -1 })]],
  ])('are refused: %s', (message, quotas) => {
    const scheduler = schedulerWith([cpu({ amount: 300 })]);
    expect(() => scheduler.setQuotas(0, 1, quotas)).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', message }),
    );
    expect(scheduler.quotas(0, 1)).toMatchObject([{ quota: { amount: 300 } }]);
  });
});
