import { type RefusalDetails, SchedulerError } from '../errors.ts';
import { hasStarted } from '../lifecycle/update/terms.ts';
import { updateLease } from '../lifecycle/update/update.ts';
import type { Lease } from '../model/lease.ts';
import type { Amounts, CommandOutcome, Instant, LeaseUpdate, Millis } from '../model/records.ts';
import { LAST_INSTANT } from '../model/time.ts';
import { cancelLease } from '../placement/endings.ts';
import type { SchedulerState } from '../state.ts';
import { availability, searchStarts, startsThatMatter } from './availability.ts';
import { alternative, type PlannedLease } from './dry-run.ts';

/** What an update would be answered now. */
export interface PlannedUpdate extends PlannedLease {
  /** EXTENSION_BLOCKED, QUOTA_EXCEEDED: the longest duration that the lease could have; otherwise null. */
  readonly maxDuration: Millis | null;
  /** What the lease asked for, one entry per machine. */
  readonly amounts: readonly Amounts[];
}

/** Refusals for lack of capacity, to which there may be an alternative. */
const roomCodes: ReadonlySet<string> = new Set([
  'NOT_SCHEDULABLE',
  'DEADLINE_CANNOT_BE_MET',
  'EXTENSION_BLOCKED',
  'QUOTA_EXCEEDED',
]);

/**
 * `carryOut` updates the lease; the caller takes it back. Alternatives are searched from `searchFrom` on, where an
 * earlier answer ended (`continueFrom`). Throws what is refused for another reason than lack of capacity.
 */
export function plannedUpdate(
  state: SchedulerState,
  id: number,
  update: LeaseUpdate,
  now: Instant,
  searchFrom: Instant,
  carryOut: () => CommandOutcome,
): PlannedUpdate {
  const lease = state.live(id);
  const amounts = lease.terms.machines;
  try {
    const { displaced } = carryOut();
    const { vm } = lease;
    const nodes = vm?.mapping.slice(1).map((node, index) => [index + 1, node] as const);
    return {
      ...{ accepted: true, reason: null, amounts },
      start: vm?.start ?? null,
      end: lease.vms.at(-1)?.finalEnd ?? null,
      machines: nodes ? Object.fromEntries(nodes) : null,
      displaces: displaced,
      firstPossibleStart: null,
      continueFrom: null,
      maxDuration: null,
    };
  } catch (error) {
    const refusal = roomRefusal(error);
    if (!refusal) throw error;
    const { code, details, message } = refusal;
    return {
      ...{ accepted: false, reason: { code, message }, amounts },
      ...{ start: null, end: null, machines: null, displaces: [] },
      ...firstPossibleStart(state, lease, update, now, searchFrom),
      maxDuration: details.maxDuration ?? null,
    };
  }
}

/**
 * The first start, from the wanted one on, at which a refused lease is possible with its new terms. Of an advance
 * reservation: at which the update would be accepted. Of a lease with a deadline: at which its machines would be
 * available as an advance reservation, if it gave up its own place. Null when there is none, or its machines have
 * started.
 */
function firstPossibleStart(
  state: SchedulerState,
  lease: Lease,
  update: LeaseUpdate,
  now: Instant,
  searchFrom: Instant,
): Pick<PlannedLease, 'firstPossibleStart' | 'continueFrom'> {
  const { type, preemptible } = lease;
  const { machines, project } = lease.terms;
  const { duration = lease.duration, start = lease.requestedStart } = update;
  const from = Math.max(now, searchFrom, start ?? now);
  if (!hasStarted(lease) && type === 'DEADLINE') {
    return state.journal.trial(() => {
      cancelLease(state, lease, now, null);
      const question = { machines, duration, preemptible, project, from, to: null };
      return alternative(availability(state, question, now));
    });
  }
  if (hasStarted(lease) || type !== 'ADVANCE_RESERVATION') return { firstPossibleStart: null, continueFrom: null };
  const isAccepted = (at: Instant) =>
    at + duration <= LAST_INSTANT && isPossible(state, lease.id, { ...update, start: at }, now);
  const starts = startsThatMatter(state, lease, from, from, duration);
  return alternative(searchStarts(starts, from, from, machines.length, isAccepted));
}

function isPossible(state: SchedulerState, id: number, update: LeaseUpdate, now: Instant): boolean {
  return state.journal.trial(() => {
    try {
      updateLease(state, id, update, now);
      return true;
    } catch (error) {
      if (roomRefusal(error)) return false;
      throw error;
    }
  });
}

function roomRefusal(
  error: unknown,
): { readonly code: string; readonly message: string; readonly details: RefusalDetails } | null {
  return error instanceof SchedulerError && roomCodes.has(error.code) ? error : null;
}
