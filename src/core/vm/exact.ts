import { type Lease, VmReservation } from '../model/lease.ts';
import type { Instant, StateReason } from '../model/records.ts';
import { isInTheWay, preemptionCandidates } from './candidates.ts';
import { type NotSchedulable, notSchedulable, type Plan, type Planning } from './plan.ts';

/**
 * An advance reservation: exactly [start, start + duration), its shutdown included, or not at all (R9, R10). Besides
 * those that the policy lets it preempt, it may count on `more` leases to be gone.
 */
export const planExactly = (
  planning: Planning,
  lease: Lease,
  now: Instant,
  more: readonly Lease[] = [],
): Plan | NotSchedulable => {
  const start = lease.requestedStart as Instant;
  const end = start + lease.duration;
  if (start < now)
    return notSchedulable(
      'START_PASSED',
      `its start lies ${(now - start) / 1000} s before the earliest time that can be planned`,
    );
  // It was not when it was requested, and the configuration has changed since.
  const tooShort = shorterThanShutdown(planning, lease);
  if (tooShort) return { notSchedulable: tooShort };
  const own = planning.preemption.preempts(lease.view) ? preemptionCandidates(planning, lease, start, end) : [];
  const candidates = [...own, ...more];
  const found = planning.mapper.map({
    lease,
    start,
    end,
    strict: true,
    nodes: planning.preparation.reachableBy(lease, start),
    candidates,
    worthwhileUntil: end,
  });
  if (!found) {
    const beyondQuota = planning.quotas.whyBlocked(lease, start, end);
    if (beyondQuota) return { notSchedulable: beyondQuota };
    const beside = candidates.length > 0 ? ', even if other leases were preempted' : '';
    return notSchedulable(
      'NO_CAPACITY',
      `its machines do not fit beside what is reserved from its start to its end${beside}`,
    );
  }
  const vm = new VmReservation(lease, start, end, found.amounts, found.mapping);
  const shutdown = planning.chains.shutdown(vm, end);
  vm.end = shutdown.start;
  vm.after = [shutdown];
  const preparation = planning.preparation.planByStart(lease, vm, now);
  if (!preparation)
    return notSchedulable('NO_TRANSFER_SLOT', 'its disk image cannot be transferred to its nodes before its start');
  const victims = found.preempted.filter((victim) => isInTheWay(victim, found.amounts, start, found.end));
  return { lease, vm, preparation, victims, isFuture: false };
};

/** Why an advance reservation leaves its machines no time to run; null when it does. */
export const shorterThanShutdown = ({ estimates }: Planning, lease: Lease): StateReason | null => {
  const shutdown = estimates.shutdown(lease);
  if (lease.duration >= shutdown) return null;
  return {
    code: 'SHORTER_THAN_SHUTDOWN',
    message: `it lasts ${lease.duration / 1000} s, and shutting its machines down takes ${shutdown / 1000} s of that`,
  };
};
