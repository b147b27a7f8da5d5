/** Operations by their numbers, as hosts know them: those round the VMs of leases, and image transfers. */
import type { Instant } from '../model/records.ts';
import type { SchedulerState } from '../state.ts';
import { extendOperation, finishOperation, operationUnderWay } from './late.ts';
import { extendTransfer, finishTransfer } from './late-transfers.ts';

export interface OperationName {
  readonly leaseId: number;
  readonly reservationId: number;
}

function underWay({ leases }: SchedulerState, { leaseId, reservationId }: OperationName) {
  const lease = leases.get(leaseId);
  const found = lease && operationUnderWay(lease, reservationId);
  return found ? { lease, found } : null;
}

/** When an operation that is going on is to end; null when it is not going on. */
export function operationEnd(state: SchedulerState, name: OperationName): Instant | null {
  const transfer = state.transfers.underWay(name.reservationId);
  return transfer?.end ?? underWay(state, name)?.found.operation.end ?? null;
}

/** It takes at least until `until`. */
export function operationLate(state: SchedulerState, name: OperationName, until: Instant, now: Instant): void {
  // A transfer may outlive the lease that it was begun for.
  const transfer = state.transfers.underWay(name.reservationId);
  if (transfer) {
    extendTransfer(state, transfer, until, now);
    return;
  }
  const operation = underWay(state, name);
  if (operation) extendOperation(state, operation.lease, operation.found, until, now);
}

/** One that was late is over. */
export function operationFinished(state: SchedulerState, name: OperationName, now: Instant): void {
  const transfer = state.transfers.underWay(name.reservationId);
  if (transfer) {
    finishTransfer(state, transfer, now);
    return;
  }
  const operation = underWay(state, name);
  if (operation) finishOperation(state, operation.lease, operation.found, now);
}
