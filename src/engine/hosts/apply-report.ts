import type { Instant, Millis } from '../../core/index.ts';
import type { Core } from '../core.ts';
import type { ActionReport, ReportedState } from './report.ts';

export interface ReportRules {
  /** Whether a lease one of whose machines cannot be prepared or started moves to other nodes; otherwise it fails. */
  readonly moveOnStartFailure: boolean;
  /** By how much machines may start late without a change of the plan; scheduler time. */
  readonly lateness: Millis;
}

/** Applies a report from hosts to the core. */
export function applyReport(core: Core, now: Instant, report: ActionReport, rules: ReportRules): void {
  const { action, ended, failures, nodeState, outcome, remove } = report;
  if (action && outcome?.state === 'SUCCEEDED') {
    const { at, deadline, kind, leaseId, reservationId } = action;
    const finished = outcome.finishedAt ?? now;
    // Plans made around machines that had not started yet are corrected, however small the delay.
    const isMoved = core.running(leaseId)?.start !== at;
    if (kind === 'START' && (isMoved || finished - at > rules.lateness)) core.machinesStarted(now, leaseId, finished);
    if (kind !== 'START' && reservationId !== null && deadline !== null && finished > deadline)
      core.operationFinished(now, leaseId, reservationId);
  }
  for (const { leaseId, code, message, node } of failures) {
    // A missing machine may have been stopped meanwhile as planned.
    if (code === 'MACHINE_LOST' && core.lease(leaseId)?.state !== 'ACTIVE') continue;
    const isStart = (action?.kind === 'START' || action?.kind === 'PREPARE') && code === 'ACTION_FAILED';
    const isMoved =
      isStart && rules.moveOnStartFailure && core.startFailed(now, leaseId, node, { code: 'START_FAILED', message });
    if (!isMoved) core.actionFailed(now, leaseId, { code, message });
  }
  for (const leaseId of ended) {
    // It may have become due meanwhile.
    if (core.lease(leaseId)?.state === 'ACTIVE') core.vmEnded(now, leaseId);
  }
  if (remove.length > 0) core.removeMachines(now, remove);
  if (nodeState) applyNodeState(core, now, nodeState);
}

/** Preserves operator decisions: the node returns to the state it had before its host stopped answering. */
function applyNodeState(core: Core, now: Instant, { code, message, node, state }: ReportedState): void {
  const present = core.nodeState(node);
  const cause = { code, at: now, by: null, message, lease: null, before: null };
  if (state === 'DOWN') {
    const before = present.state === 'UP' ? null : { state: present.state, cause: present.cause ?? null };
    core.setNodeState(now, node, 'DOWN', 'DISPLACE', { ...cause, before });
    return;
  }
  if (state === 'DRAINING') {
    if (present.state === 'UP') core.setNodeState(now, node, 'DRAINING', 'DISPLACE', cause);
    return;
  }
  if (present.state === 'UP' || present.cause?.code !== code) return;
  const { before } = present.cause;
  core.setNodeState(now, node, before?.state ?? 'UP', 'DISPLACE', before?.cause ?? cause);
}
