/**
 * Machines that hosts have not removed although the plan has no place for them any more. They hold their capacity until
 * they are gone; what was planned there goes elsewhere, or comes later.
 */
import { machineRemains } from '../model/reasons.ts';
import type { Instant, RemainingMachine } from '../model/records.ts';
import type { SchedulerState } from '../state.ts';
import { makeWay, startPutOff } from './late.ts';
import { moveBlocked } from './start-failure.ts';

/** `machines`: all that there are. Those that are not named any more are gone. */
export function holdRemaining(state: SchedulerState, machines: readonly RemainingMachine[], now: Instant): void {
  const { journal, availability } = state;
  const { remaining } = availability;
  if (machines.length === 0 && remaining.isEmpty) return;
  journal.attempt(() => {
    const free = remaining.keepOnly(machines);
    if (free.size > 0) {
      startPutOff(state, free, now);
      state.askForReevaluation();
      state.askForPass();
    }
    for (const machine of machines) {
      const until = remaining.heldUntil(machine);
      if (until === null || until <= now) hold(state, machine, now);
    }
    return true;
  });
}

/** It is held for as long as it is expected to be there, or for less if a lease would fail otherwise. */
function hold(state: SchedulerState, machine: RemainingMachine, now: Instant): void {
  const { expectedUntil, until } = machine;
  const live = state.leases.size;
  const isHarmless = state.journal.attempt(() => {
    holdUntil(state, machine, expectedUntil, now);
    return state.leases.size < live ? null : true;
  });
  if (!isHarmless) holdUntil(state, machine, until, now);
}

function holdUntil(state: SchedulerState, machine: RemainingMachine, until: Instant, now: Instant): void {
  const { remaining } = state.availability;
  const { inTheWayOf, leaseId, node } = machine;
  const held = remaining.amountsOf(machine);
  if (!held || until <= now) return;
  const reason = machineRemains(leaseId, node);
  const occupied = { lease: null, amounts: new Map([[node, held]]), from: now, to: until, reason };
  makeWay(state, occupied, () => remaining.hold(machine, until), now);
  for (const id of inTheWayOf) {
    const lease = state.leases.get(id);
    if (lease) moveBlocked(state, lease, until, reason, now);
  }
}
