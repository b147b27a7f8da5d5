import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  defaultSchedulerConfig,
  type Instant,
  type LeaseRequest,
  type Millis,
  Scheduler,
  type SchedulerConfig,
  SECOND,
  type SiteSpec,
  type Snapshot,
} from '../../src/core/index.ts';
import { PATIENT, Run, runs } from './run.ts';
import { configs, crowds, leaseRequests, type Scenario, scenarios } from './scenario.ts';

/** Runs a scenario for some steps, and returns how late it is then. */
function busy(run: Run, steps: number): number {
  let at = run.at;
  for (const step of run) {
    at = step.at;
    if (--steps <= 0) break;
  }
  return at;
}

/** In most of them reservations displace leases. */
const preempting = fc.tuple(configs, fc.nat({ max: 3 })).map(([config, dice]) =>
  dice === 0
    ? config
    : {
        ...{ ...config, admission: 'accept-all', preemption: 'ar-preempts-everything' },
        ...{ suspension: 'all' as const, preemptionLimit: null, preemptionExemptTime: 0 },
      },
);

const settings = scenarios({ configs: preempting, cancellations: false }).chain((scenario) =>
  fc.record({
    scenario: fc.constant(scenario),
    steps: fc.integer({ min: 1, max: 16 }),
    request: leaseRequests(scenario.site, 0),
    wait: fc.constantFrom(0, 1, 60, 600, 1800),
    /** Whether it asks for all nodes, so that whatever is there then has to go. */
    isWhole: fc.boolean(),
  }),
);

const asking = ({ type, start, ...request }: LeaseRequest, now: number, wait: number): LeaseRequest => ({
  ...request,
  type,
  start: start == null ? null : now + wait * SECOND,
});

/** As much as every node has, on all of them, for a while. */
function wholeOf({ nodes }: SiteSpec): Pick<LeaseRequest, 'machines' | 'duration'> {
  const least = (type: string): number => Math.min(...nodes.map(({ capacity }) => sum(capacity[type] ?? 0)));
  const machine = { CPU: least('CPU'), Memory: least('Memory') };
  return { machines: nodes.map(() => machine), duration: 600 * SECOND };
}

function sum(amounts: number | readonly number[]): number {
  return typeof amounts === 'number' ? amounts : amounts.reduce((total, amount) => total + amount, 0);
}

interface Plan {
  readonly start: Instant;
  /** The first end of its machines, which is the last one unless they are suspended. */
  readonly end: Instant;
}

/** When the machines of leases run, or will run, next. */
function plansOf(scheduler: Scheduler): Map<number, Plan> {
  const plans = new Map<number, Plan>();
  for (const { kind, leaseId, start, end, state } of scheduler.snapshot().reservations) {
    if (kind !== 'VM' || (state !== 'SCHEDULED' && state !== 'ACTIVE')) continue;
    if (start < (plans.get(leaseId)?.start ?? Infinity)) plans.set(leaseId, { start, end });
  }
  return plans;
}

/** Whether it starts later, is cut short, or is no longer planned. */
function isWorse(plan: Plan | undefined, than: Plan | undefined): boolean {
  if (than === undefined) return false;
  return plan === undefined || plan.start > than.start || (plan.start === than.start && plan.end < than.end);
}

describe('a dry run', () => {
  const counts = { displaced: 0 };

  it('returns what the request would return, and leaves no trace', PATIENT, () => {
    fc.assert(
      fc.property(settings, ({ scenario, steps, request, wait, isWhole }) => {
        fc.pre(request.type !== 'BEST_EFFORT');
        const run = new Run(scenario);
        const now = busy(run, steps);
        const asked = asking(isWhole ? { ...request, ...wholeOf(scenario.site) } : request, now, wait);
        const before = JSON.stringify(run.scheduler.snapshot());
        const told = run.scheduler.dryRun(now, asked);
        expect(JSON.stringify(run.scheduler.snapshot())).toBe(before);
        expect(run.scheduler.takeChanges()).toMatchObject({
          leases: [],
          reservations: [],
          events: [],
          actions: [],
        });
        const twin = Scheduler.restore(scenario.site, scenario.config, JSON.parse(before) as Snapshot);
        const { id } = twin.request(now, asked);
        twin.schedule(now);
        const { leases } = twin.takeChanges();
        const record = leases.find((lease) => lease.id === id);
        // Also those that are planned anew as they were.
        expect(leases.map((lease) => lease.id)).toEqual(expect.arrayContaining([...told.displaces]));
        const without = Scheduler.restore(scenario.site, scenario.config, JSON.parse(before) as Snapshot);
        without.schedule(now);
        const [present, alone, beside] = [plansOf(run.scheduler), plansOf(without), plansOf(twin)];
        const changed = [...present].filter(([lease, plan]) => !isDeepStrictEqual(plan, beside.get(lease)));
        // Worse than it was, and than it would be now in any case: a pass may find better plans.
        const worse = changed.filter(
          ([lease, plan]) => isWorse(beside.get(lease), plan) && isWorse(beside.get(lease), alone.get(lease)),
        );
        expect(told.displaces).toEqual(expect.arrayContaining(worse.map(([lease]) => lease)));
        counts.displaced += worse.length;
        expect(told.accepted).toBe(record?.state !== 'REJECTED');
        expect([told.start, told.machines]).toEqual([record?.plannedStart, record?.mapping]);
        if (!told.accepted) expect(told.reason).toEqual(record?.reason);
      }),
      { numRuns: runs(300) },
    );
    // Otherwise the runs prove little.
    expect(counts.displaced).toBeGreaterThan(runs(2));
  });
});

/** A scheduler on which a lease was never requested, and the others are where they are. */
function withoutLease({ site, config }: Scenario, snapshot: Snapshot, lease: number): Scheduler {
  const others = snapshot.leases.filter(({ id }) => id !== lease);
  const reservations = snapshot.reservations.filter(({ leaseId }) => leaseId !== lease);
  return Scheduler.restore(site, config, { ...snapshot, leases: others, reservations });
}

/** Nothing is preempted and no image transferred, so that what starts now depends on room alone. */
function undisturbed<C extends SchedulerConfig>(config: C): C {
  const { imageTransfer } = defaultSchedulerConfig;
  return {
    ...{ ...config, admission: 'accept-all', preemption: 'no-preemption' },
    ...{ preparation: 'unmanaged', imageTransfer },
  };
}

const waits = fc.record({
  scenario: fc.oneof(
    scenarios({ configs: configs.map(undisturbed), cancellations: false }),
    crowds.map((crowd) => ({ ...crowd, config: undisturbed(crowd.config) })),
  ),
  steps: fc.integer({ min: 1, max: 16 }),
});

describe('the longest duration that could start now', () => {
  const counts = { some: 0, shorter: 0, none: 0 };

  it('is the longest with which the same machines are accepted at once, without the lease', PATIENT, () => {
    fc.assert(
      fc.property(waits, ({ scenario, steps }) => {
        const run = new Run(scenario);
        const now = busy(run, steps);
        const snapshot = run.scheduler.snapshot();
        for (const { accumulated, duration, id, machines, memoryAt } of snapshot.leases) {
          const waiting = run.scheduler.waiting(now, id);
          const isNew = accumulated === 0 && Object.keys(memoryAt).length === 0;
          if (waiting === null || !isNew) continue;
          const { longestNow } = waiting;
          const startsNow = (length: Millis): boolean => {
            const request = {
              type: 'IMMEDIATE',
              machines,
              duration: length,
              start: null,
              preemptible: true,
            } as const;
            const { accepted, start } = withoutLease(scenario, snapshot, id).dryRun(now, request);
            return accepted && start === now;
          };
          if (longestNow === null) counts.none += 1;
          else counts.some += 1;
          if (longestNow !== null) expect([longestNow, startsNow(longestNow)]).toEqual([longestNow, true]);
          if (longestNow === duration) continue;
          if (longestNow !== null) counts.shorter += 1;
          // What is shorter than a shutdown is refused whatever is free.
          expect([longestNow, startsNow((longestNow ?? 0) + SECOND)]).toEqual([longestNow, false]);
        }
      }),
      { numRuns: runs(150) },
    );
    expect(Math.min(counts.some, counts.shorter, counts.none)).toBeGreaterThan(runs(3));
  });
});
