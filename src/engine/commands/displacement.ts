/** Effects of node changes on leases, for dry runs of `planMaintenance` and `setNodeState`. */
import {
  type Collisions,
  type CommandOutcome,
  type Instant,
  type LeaseRecord,
  type ReservationRecord,
  SchedulerError,
  type StateReason,
} from '../../core/index.ts';
import type { Core } from '../core.ts';

export interface PlannedDisplacement {
  readonly accepted: boolean;
  /** The reason for which the command would be refused. */
  readonly reason: StateReason | null;
  /** Numbers of the leases that would be moved, suspended or requeued if collisions displace, ascending. */
  readonly displaces: readonly number[];
  /** Numbers of those that would fail or lose a promised place, ascending. */
  readonly withoutPlace: readonly number[];
  /** If leases would lose a promised place: the first instant at which, by current plans, none would. */
  readonly firstPossibleStart: Instant | null;
}

/** Applies the change; throws SchedulerError. */
type Change = (core: Core, collisions: Collisions) => CommandOutcome;

/** Changes nothing. `alternative` is called when leases would lose a promised place. Throws SchedulerError. */
export function rehearseDisplacement(
  core: Core,
  change: Change,
  collisions: Collisions,
  alternative: (losing: readonly number[]) => Instant | null,
): PlannedDisplacement {
  const refusal = refusalOf(core, (rehearsed) => change(rehearsed, 'REFUSE'));
  const losing = refusal?.details.leases ?? [];
  const { displaced, failing } = core.rehearse((rehearsed) => {
    const { displaced } = change(rehearsed, 'DISPLACE');
    const failing = displaced.filter((id) => rehearsed.lease(id)?.isWithoutPlace ?? true);
    return { displaced, failing };
  });
  const accepted = collisions === 'DISPLACE' || refusal === null;
  return {
    accepted,
    reason: accepted || !refusal ? null : { code: refusal.code, message: refusal.message },
    displaces: union(displaced, losing),
    withoutPlace: union(failing, losing),
    firstPossibleStart: refusal && alternative(losing),
  };
}

/** The refusal of a change that takes a promised place from leases; null when it takes none. */
export function refusalOf(core: Core, change: (core: Core) => CommandOutcome): SchedulerError | null {
  try {
    core.rehearse(change);
    return null;
  } catch (error) {
    if (error instanceof SchedulerError && error.code === 'WOULD_DISPLACE') return error;
    throw error;
  }
}

/** Reservations on the nodes of leases with a promised place, planned and running. */
export function promisedOn(
  core: Core,
  nodes: readonly number[],
): readonly { readonly lease: LeaseRecord; readonly reservation: ReservationRecord }[] {
  const { leases, reservations } = core.snapshot();
  const promised = new Map(leases.filter(({ type }) => type !== 'BEST_EFFORT').map((each) => [each.id, each]));
  return reservations.flatMap((reservation) => {
    const lease = promised.get(reservation.leaseId);
    const isThere = nodes.some((node) => Object.hasOwn(reservation.amounts, node));
    return lease && isThere ? [{ lease, reservation }] : [];
  });
}

function union(...lists: readonly (readonly number[])[]): number[] {
  return [...new Set(lists.flat())].sort((a, b) => a - b);
}
