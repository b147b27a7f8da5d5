import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Amounts,
  HOUR,
  type Instant,
  isFinal,
  type Quota,
  type ReservationRecord,
  Scheduler,
  SECOND,
  totalAmount,
} from '../../src/core/index.ts';
import { expectNoFaults, type History } from '../support/invariants/index.ts';
import { Ledger } from './ledger.ts';
import { PATIENT, Run, runs } from './run.ts';
import { type Scenario, START, scenarios } from './scenario.ts';

const unlimited: Quota = {
  type: 'CPU',
  amount: null,
  amountHours: null,
  period: null,
  maxDuration: null,
  maxLeases: null,
};

const limits: fc.Arbitrary<Quota> = fc
  .record({
    type: fc.constantFrom('CPU', 'CPU', 'Memory'),
    amount: fc.constantFrom(100, 200, 400, null),
    hours: fc.constantFrom(null, null, 20, 50, 100.5),
    maxDuration: fc.constantFrom(null, null, 900 * SECOND),
    maxLeases: fc.constantFrom(null, null, 2),
  })
  .map(({ type, amount, hours, maxDuration, maxLeases }) => ({
    type,
    amount: amount === null ? 1000 : amount * (type === 'CPU' ? 1 : 5),
    amountHours: hours === null ? null : hours * (type === 'CPU' ? 1 : 5),
    period: hours === null ? null : HOUR,
    maxDuration,
    maxLeases,
  }));

/** Leases of three projects: the first has quotas, and the third is null. */
const projects = scenarios().map(
  (scenario): Scenario => ({
    ...scenario,
    requests: scenario.requests.map(({ at, request }, index) => ({
      at,
      request: { ...request, project: [1, 1, 2, null][index % 4] ?? null },
    })),
  }),
);

function begin(scenario: Scenario, quotas: readonly Quota[]): Run {
  const run = new Run(scenario);
  run.scheduler.setQuotas(START, 1, quotas);
  return run;
}

const totalOf = ({ amounts }: ReservationRecord, type: string): number =>
  Object.values(amounts).reduce(
    (sum, each: Amounts) => sum + [each[type] ?? 0].flatMap((amount) => totalAmount(amount)).reduce(add, 0),
    0,
  );
const add = (a: number, b: number): number => a + b;

interface Hold {
  readonly start: Instant;
  readonly end: Instant;
  readonly amount: number;
}

/** Sums what a project's leases hold of a type over time, with each chain as a whole. */
function holdsOf({ leases, reservations }: History, type: string): Hold[] {
  const ids = new Set(leases.filter(({ project }) => project === 1).map(({ id }) => id));
  const chains = new Map<number, Hold>();
  for (const each of reservations) {
    const { id, kind, leaseId, vmId } = each;
    if (!ids.has(leaseId) || kind === 'IMAGE_TRANSFER' || kind.endsWith('MIGRATION')) continue;
    const chain = chains.get(vmId ?? id);
    chains.set(vmId ?? id, {
      start: Math.min(each.start, chain?.start ?? each.start),
      end: Math.max(each.end, chain?.end ?? each.end),
      amount: totalOf(each, type),
    });
  }
  return [...chains.values()];
}

function quotaFaults(history: History, { amount, amountHours, period, type }: Quota): string[] {
  const faults: string[] = [];
  const holds = holdsOf(history, type);
  for (const { start: at } of holds) {
    const held = holds.filter(({ start, end }) => start <= at && at < end).reduce((sum, each) => sum + each.amount, 0);
    if (amount !== null && held > amount) faults.push(`at ${at} the project holds ${held} ${type} of ${amount}`);
  }
  if (amountHours === null || period === null) return faults;
  const ids = new Set(history.leases.filter(({ project }) => project === 1).map(({ id }) => id));
  const used = new Map<number, number>();
  for (const vm of history.reservations) {
    if (vm.kind !== 'VM' || !ids.has(vm.leaseId)) continue;
    for (let from = vm.start; from < vm.end; ) {
      const index = Math.floor(from / period);
      const to = Math.min(vm.end, (index + 1) * period);
      used.set(index, (used.get(index) ?? 0) + totalOf(vm, type) * (to - from));
      from = to;
    }
  }
  for (const [index, area] of used)
    if (area > amountHours * HOUR)
      faults.push(`in period ${index} the project uses ${area / HOUR} ${type} hours of ${amountHours}`);
  return faults;
}

describe('a project with quotas', () => {
  it('never holds, uses or has more than they allow, now or in its plans', PATIENT, () => {
    fc.assert(
      fc.property(projects, limits, (scenario, quota) => {
        const run = begin(scenario, [quota]);
        const ledger = new Ledger(run.scheduler.snapshot().site);
        for (const { changes } of run) {
          ledger.apply(changes);
          const history = ledger.history();
          const live = history.leases.filter(
            ({ project, state, machines }) =>
              project === 1 && !isFinal(state) && machines.some((each) => totalAmount(each[quota.type]) > 0),
          );
          if (quota.maxLeases !== null) expect(live.length).toBeLessThanOrEqual(quota.maxLeases);
          for (const { duration, machines, project, state } of live)
            if (project === 1 && state !== 'REJECTED' && machines.some((each) => totalAmount(each[quota.type]) > 0))
              expect(duration).toBeLessThanOrEqual(quota.maxDuration ?? Number.POSITIVE_INFINITY);
          expectNoFaults(quotaFaults(history, quota));
        }
        // No lease waits forever: requests that the quota can never allow are refused at once.
        expect(run.scheduler.liveLeases).toBe(0);
      }),
      { numRuns: runs(400) },
    );
  });

  it('continues after a restart as if it had not been restarted', PATIENT, () => {
    fc.assert(
      fc.property(projects, limits, fc.infiniteStream(fc.boolean()), (scenario, quota, coin) => {
        const straight = begin(scenario, [quota])[Symbol.iterator]();
        const broken = begin(scenario, [quota]);
        for (const step of broken) {
          const expected = straight.next().value;
          if (!isDeepStrictEqual(step, expected)) expect(step).toEqual(expected);
          if (!coin.next().value) continue;
          const snapshot = broken.scheduler.snapshot();
          broken.scheduler = Scheduler.restore(scenario.site, scenario.config, structuredClone(snapshot));
          expect(broken.scheduler.snapshot()).toEqual(snapshot);
        }
        expect(straight.next().done).toBe(true);
      }),
      { numRuns: runs(200) },
    );
  });

  it('has the same leases as without quotas if the quotas limit nothing', PATIENT, () => {
    const ample: Quota = {
      ...unlimited,
      amount: 1_000_000,
      amountHours: 1_000_000,
      // No period ends within the run: the end of a period is an instant at which the scheduler passes over the queue.
      period: 3650 * 24 * HOUR,
      maxLeases: 1000,
    };
    fc.assert(
      fc.property(projects, (scenario) => {
        const events = (run: Run) => [...run].flatMap(({ changes }) => changes.events);
        const expected = events(new Run(scenario));
        const found = events(begin(scenario, [ample]));
        if (!isDeepStrictEqual(found, expected)) expect(found).toEqual(expected);
      }),
      { numRuns: runs(200) },
    );
  });
});
