import { SchedulerError } from '../../errors.ts';
import { mayHoldUntil } from '../../mapping/held-until.ts';
import type { Lease, VmReservation } from '../../model/lease.ts';
import { underMaintenance } from '../../model/reasons.ts';
import type { Collisions, Instant, MaintenanceRecord, StateReason } from '../../model/records.ts';
import { changeEnd } from '../../placement/change-end.ts';
import { canSuspendBy, cutShort, suspendBy } from '../../placement/preemption.ts';
import { dropLater } from '../../room/promised.ts';
import type { SchedulerState } from '../../state.ts';
import { type Lost, loseMachines } from './lost-machines.ts';
import { checkNode } from './node-state.ts';
import { type Closure, hasMachines, planAnew, settleWithoutPlace, takePlans } from './plans.ts';

/**
 * Plans maintenance: nodes are not used over [start, end) (N3). Throws INVALID_REQUEST or WOULD_DISPLACE; nothing has
 * changed then.
 */
export function planMaintenance(
  state: SchedulerState,
  maintenance: MaintenanceRecord,
  collisions: Collisions,
  now: Instant,
): void {
  const { name, start, end } = maintenance;
  const nodes = [...new Set(maintenance.nodes)].sort((a, b) => a - b);
  check(state, { ...maintenance, nodes }, now);
  state.journal.attempt(() => {
    state.availability.expire(now);
    state.availability.plan({ name, nodes, start, end });
    const closure: Closure = { nodes: new Set(nodes), start, end, reason: underMaintenance(name) };
    const taken = takePlans(state, closure, now);
    const touched = runningInto(state, closure).sort((a, b) => a.id - b.id);
    const colliding = touched.filter(({ type }) => type !== 'BEST_EFFORT');
    const lost = touched.flatMap((lease) => clear(state, lease, start, closure.reason, now) ?? []);
    const withoutPlace = planAnew(state, taken, lost, closure.reason, now);
    settleWithoutPlace(state, withoutPlace, collisions, colliding, closure.reason, true, now);
    state.askForReevaluation();
    state.askForPass();
    return true;
  });
}

/** Ends maintenance early, also before it has begun. Throws MAINTENANCE_NOT_FOUND. */
export function endMaintenance(state: SchedulerState, name: string, now: Instant): void {
  const maintenance = state.availability.maintenance(name);
  if (!maintenance || maintenance.end <= now)
    throw new SchedulerError('MAINTENANCE_NOT_FOUND', `There is no maintenance "${name}" that has not ended.`);
  state.availability.end(maintenance, now);
  for (const lease of state.leases.values()) if (lease.vm?.isCutShort) giveBackEnd(state, lease, lease.vm);
  state.askForReevaluation();
  state.askForPass();
}

function check(state: SchedulerState, { name, nodes, start, end }: MaintenanceRecord, now: Instant): void {
  const refuse = (field: string, message: string) => {
    throw new SchedulerError('INVALID_REQUEST', message, [field]);
  };
  if (nodes.length === 0) refuse('nodes', 'Maintenance needs one node at least.');
  for (const node of nodes) checkNode(state, node);
  if (!Number.isSafeInteger(start) || start < now) refuse('start', 'The maintenance would start in the past.');
  if (!Number.isSafeInteger(end) || end <= start) refuse('end', 'The maintenance would end before it has begun.');
  const other = state.availability.maintenance(name);
  if (other && other.end > now) refuse('name', `There is already a maintenance "${name}".`);
}

/** Leases whose machines exist on the nodes now and still would when the maintenance begins. */
function runningInto(state: SchedulerState, { nodes, start }: Closure): Lease[] {
  return [...state.leases.values()].filter(
    (lease) =>
      hasMachines(lease) &&
      lease.vm !== null &&
      lease.vm.finalEnd > start &&
      lease.vm.mapping.slice(1).some((node) => nodes.has(node)),
  );
}

/**
 * A best-effort lease is suspended by then or requeued now; others run until then. A lease that cannot continue until
 * then is lost now.
 */
function clear(state: SchedulerState, lease: Lease, start: Instant, reason: StateReason, now: Instant): Lost | null {
  const vm = lease.vm as VmReservation;
  if (lease.type === 'BEST_EFFORT') {
    const by = Math.min(start, vm.end);
    if (vm.state === 'DONE' || !canSuspendBy(state, vm, by, now)) return loseMachines(state, lease, now, reason);
    state.noteDisplaced(lease);
    suspendBy(state, vm, null, by);
    return null;
  }
  if (vm.state === 'DONE' || start <= Math.max(now, vm.start)) return loseMachines(state, lease, now, reason);
  dropLater(state, lease, now);
  cutShort(state, vm, null, start);
  return null;
}

/** A promised lease that was to stop for cancelled maintenance continues if its nodes are still free. */
function giveBackEnd(state: SchedulerState, lease: Lease, vm: VmReservation): void {
  if (lease.type === 'BEST_EFFORT') return;
  const { planning } = state;
  const shutdown = planning.estimates.shutdown(lease);
  const end =
    lease.type === 'ADVANCE_RESERVATION'
      ? (lease.requestedStart as Instant) + lease.duration
      : vm.start + lease.remaining + shutdown;
  if (end - shutdown < vm.end || (lease.deadline !== null && end > lease.deadline)) return;
  if (mayHoldUntil(state, vm, vm.end, end) < end) return;
  const stop = planning.chains.shutdown(vm, end);
  changeEnd(state, vm, stop.start, [stop]);
}
