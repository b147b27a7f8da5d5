import fc from 'fast-check';
import { describe, it } from 'vitest';
import type { Instant, LeaseEventRecord, SchedulerConfig } from '../../src/core/index.ts';
import { vmsOf } from '../support/invariants/index.ts';
import { Ledger } from './ledger.ts';
import { PATIENT, Run, runs } from './run.ts';
import { configs, plainConfigs, type Scenario, scenarios } from './scenario.ts';

const history = (scenario: Scenario): Ledger => {
  const run = new Run(scenario);
  const ledger = new Ledger(run.scheduler.snapshot().site);
  for (const { changes } of run) ledger.apply(changes);
  return ledger;
};

const withBackfilling = (
  config: fc.Arbitrary<SchedulerConfig>,
  backfilling: SchedulerConfig['backfilling'],
): fc.Arbitrary<SchedulerConfig> => config.map((made) => ({ ...made, backfilling }));

/**
 * Leases leave the queue from its head. Leases that return to the queue are ordered by the time of their
 * request.
 */
const leavesInOrder = (ledger: Ledger): void => {
  let queue: { readonly id: number; readonly submittedAt: Instant }[] = [];
  for (const { at, leaseId, from, to } of ledger.events) {
    if (isQueued(to)) {
      const submittedAt = ledger.leases.get(leaseId)?.submittedAt as Instant;
      queue.push({ id: leaseId, submittedAt });
      queue.sort((a, b) => a.submittedAt - b.submittedAt);
    }
    if (isQueued(from)) {
      if (isPlanned(to) && queue[0]?.id !== leaseId)
        throw new Error(`lease ${leaseId} was planned at ${at}, before lease ${queue[0]?.id}`);
      queue = queue.filter(({ id }) => id !== leaseId);
    }
  }
};

const isQueued = (state: LeaseEventRecord['to']) => state === 'QUEUED' || state === 'SUSPENDED_QUEUED';
const isPlanned = (state: LeaseEventRecord['to']) => state === 'SCHEDULED' || state === 'SUSPENDED_SCHEDULED';

describe('with backfilling off', () => {
  it('no lease is planned while one that waits longer is not, whatever else the configuration says', PATIENT, () => {
    fc.assert(
      fc.property(scenarios({ configs: withBackfilling(configs, 'off') }), (scenario) => {
        leavesInOrder(history(scenario));
      }),
      { numRuns: runs(250) },
    );
  });

  it('best-effort leases start in the order of their requests', PATIENT, () => {
    fc.assert(
      fc.property(scenarios({ configs: withBackfilling(plainConfigs, 'off') }), (scenario) => {
        const ledger = history(scenario);
        let last = Number.NEGATIVE_INFINITY;
        for (const lease of [...ledger.leases.values()].sort((a, b) => a.id - b.id)) {
          const [vm] = vmsOf(ledger.history(), lease);
          if (lease.type !== 'BEST_EFFORT' || !vm) continue;
          if (vm.start < last) throw new Error(`lease ${lease.id} overtook another`);
          last = vm.start;
        }
      }),
      { numRuns: runs(150) },
    );
  });
});

describe('with conservative backfilling', () => {
  it('no lease starts later than first promised, unless it was preempted', PATIENT, () => {
    fc.assert(
      fc.property(scenarios({ configs: withBackfilling(configs, 'conservative') }), (scenario) => {
        const ledger = history(scenario);
        const preempted = new Set(
          ledger.events.filter(({ from, to }) => to === 'QUEUED' && from !== 'PENDING').map(({ leaseId }) => leaseId),
        );
        for (const lease of ledger.leases.values()) {
          const promised = ledger.promises.get(lease.id);
          const [vm] = vmsOf(ledger.history(), lease);
          if (promised === undefined || preempted.has(lease.id)) continue;
          if (!vm && lease.state !== 'CANCELLED') throw new Error(`lease ${lease.id} was planned and never ran`);
          if (vm && vm.start > promised)
            throw new Error(`lease ${lease.id} started at ${vm.start}, and was promised ${promised}`);
        }
      }),
      { numRuns: runs(250) },
    );
  });

  it('no lease waits in the queue', PATIENT, () => {
    fc.assert(
      fc.property(scenarios({ configs: withBackfilling(plainConfigs, 'conservative') }), (scenario) => {
        const run = new Run(scenario);
        for (const { at } of run)
          if (run.scheduler.queueLength > 0) throw new Error(`at ${at} somebody waits in the queue`);
      }),
      { numRuns: runs(100) },
    );
  });
});

describe('with a limited number of future reservations', () => {
  it('their number never exceeds the limit', PATIENT, () => {
    fc.assert(
      fc.property(scenarios(), (scenario) => {
        const { backfilling, backfillingReservations } = scenario.config;
        const limit = {
          off: 0,
          aggressive: 1,
          intermediate: backfillingReservations,
          conservative: Number.POSITIVE_INFINITY,
        }[backfilling];
        const run = new Run(scenario);
        for (const { at } of run) {
          const future = run.scheduler.snapshot().leases.filter(({ isFuture }) => isFuture);
          if (future.length > limit) throw new Error(`${future.length} future reservations at ${at}`);
        }
      }),
      { numRuns: runs(100) },
    );
  });
});
