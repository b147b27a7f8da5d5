import type { Lease } from '../model/lease.ts';
import type { Instant } from '../model/records.ts';
import { failWhateverHappens } from '../placement/endings.ts';
import { restOf } from '../room/promised.ts';
import type { SchedulerState } from '../state.ts';
import { lengthOf, pieceOf } from '../vm/piece.ts';

/** Fails leases that lost a promised place and can no longer get another in time (N2). */
export function giveUp(state: SchedulerState, now: Instant): void {
  for (const lease of [...state.withoutPlace].sort((a, b) => a.id - b.id)) {
    if (lastChance(state, lease, now) > now) continue;
    const what = lease.type === 'DEADLINE' ? 'can no longer be met' : 'has come';
    const which = lease.type === 'DEADLINE' ? 'deadline' : 'start';
    failWhateverHappens(state, lease, now, {
      code: 'NODE_UNAVAILABLE',
      message: `its ${which} ${what}, and nodes that it needs may not be used`,
    });
  }
}

/** The next instant after `after` at which such a lease fails; null when there is none. */
export function nextGivingUp(state: SchedulerState, after: Instant, inclusive = false): Instant | null {
  let next: Instant | null = null;
  for (const lease of state.withoutPlace) {
    const at = lastChance(state, lease, after);
    if ((at > after || (inclusive && at === after)) && (next === null || at < next)) next = at;
  }
  return next;
}

/** The latest instant at which it must have a place. */
function lastChance({ planning }: SchedulerState, lease: Lease, now: Instant): Instant {
  if (lease.deadline === null) return lease.requestedStart ?? now;
  return lease.deadline - lengthOf(planning, restOf(lease) ?? pieceOf(lease, now));
}
