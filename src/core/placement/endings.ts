import { SchedulerError } from '../errors.ts';
import type { Lease } from '../model/lease.ts';
import { endedEarly } from '../model/reasons.ts';
import type { Instant, StateReason } from '../model/records.ts';
import type { SchedulerState } from '../state.ts';
import { haveRemoved, heldByHosts, ranFor } from './on-hosts.ts';
import { stopChain } from './stop-chain.ts';

/** The lease ended regularly. */
export const endLease = (
  state: SchedulerState,
  lease: Lease,
  now: Instant,
  reason: StateReason | null = null,
): void => {
  state.transition(lease, 'DONE', now, reason);
  state.forget(lease, now);
};

/** Its machines ended by themselves: its later reservations are dropped, and other leases may move forward. */
export const endEarly = (state: SchedulerState, lease: Lease, now: Instant): void => {
  const { vm } = lease;
  if (lease.state !== 'ACTIVE' || !vm) {
    throw new SchedulerError(
      'INVALID_REQUEST',
      `The machines of lease ${lease.id} are not running: it is ${lease.state}.`,
    );
  }
  const wasRunning = vm.state === 'ACTIVE';
  const unused = wasRunning ? vm.end - now : 0;
  const held = heldByHosts(lease);
  for (const each of lease.vms) {
    state.table.removeChain(each);
    for (const reservation of each.chain) if (reservation !== vm) state.stop(reservation, now);
  }
  state.touch(lease);
  if (wasRunning) {
    state.journal.save(vm);
    vm.state = 'DONE';
    vm.end = Math.max(vm.start, now);
    vm.after = [];
    lease.accumulated += vm.end - vm.start;
    state.settle(vm);
    state.log.reservation(vm);
  }
  haveRemoved(state, lease, held, now);
  endLease(state, lease, now, endedEarly(unused));
  state.askForReevaluation();
};

/** A user cancels the lease, in any state (R61). */
export const cancelLease = (state: SchedulerState, lease: Lease, now: Instant, reason: StateReason | null): void => {
  takeOut(state, lease, now);
  state.transition(lease, 'CANCELLED', now, reason);
  state.forget(lease, now);
  state.askForReevaluation();
};

/** A host failed, or the lease caused an error. */
export const failLease = (state: SchedulerState, lease: Lease, now: Instant, reason: StateReason): void => {
  expectToGoOn(state, lease, reason);
  failWhateverHappens(state, lease, now, reason);
};

/** The lease fails for a reason outside the scheduler and the hosts; this never stops the scheduler. */
export function failWhateverHappens(state: SchedulerState, lease: Lease, now: Instant, reason: StateReason): void {
  takeOut(state, lease, now);
  state.transition(lease, 'FAILED', now, reason);
  state.forget(lease, now);
  state.askForReevaluation();
}

/** Throws LEASE_FAILURE if a failed lease must stop the scheduler. */
export const expectToGoOn = (state: SchedulerState, lease: Lease, { code, message }: StateReason): void => {
  const { leaseFailureHandling: handling } = state.config;
  if (handling === 'cancel') return;
  throw new SchedulerError(
    'LEASE_FAILURE',
    `lease ${lease.id} failed (${code}: ${message}), and lease-failure-handling is ${handling}`,
  );
};

/**
 * Removes all its reservations from the slot table, adds up its running time, and tells hosts to remove its remains.
 */
const takeOut = (state: SchedulerState, lease: Lease, now: Instant): void => {
  const held = heldByHosts(lease);
  state.touch(lease);
  lease.accumulated += ranFor(state, lease, now);
  stopChain(state, lease, now);
  state.transfers.withdraw(lease, false, now);
  haveRemoved(state, lease, held, now);
};
