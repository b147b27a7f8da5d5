import { type Lease, VmReservation } from '../model/lease.ts';
import type { Instant } from '../model/records.ts';
import { isInTheWay, preemptionCandidates } from './candidates.ts';
import type { Plan, Planning } from './plan.ts';
import { readyToStart } from './readiness.ts';

/**
 * An advance reservation that has lost its machines: from as soon as its image can be on other nodes to its old end,
 * its shutdown included. Besides those that the policy lets it preempt, it may count on others to be gone.
 */
export function planUntil(
  planning: Planning,
  lease: Lease,
  end: Instant,
  now: Instant,
  more: (start: Instant, end: Instant) => readonly Lease[] = () => [],
): Plan | null {
  const shutdown = planning.estimates.shutdown(lease);
  const { earliest, reachable } = readyToStart(planning, lease, now);
  for (const { time: start, nodes } of earliest) {
    if (start + shutdown >= end) return null;
    const own = planning.preemption.preempts(lease.view) ? preemptionCandidates(planning, lease, start, end) : [];
    const found = planning.mapper.map({
      lease,
      start,
      end,
      strict: true,
      nodes: reachable(nodes, start),
      candidates: [...own, ...more(start, end)],
      worthwhileUntil: end,
    });
    if (!found) continue;
    const vm = new VmReservation(lease, start, end, found.amounts, found.mapping);
    const stop = planning.chains.shutdown(vm, end);
    vm.end = stop.start;
    vm.after = [stop];
    const preparation = planning.preparation.planSoonest(lease, vm, now);
    const victims = found.preempted.filter((victim) => isInTheWay(victim, found.amounts, start, end));
    return { lease, vm, preparation, victims, isFuture: false };
  }
  return null;
}
