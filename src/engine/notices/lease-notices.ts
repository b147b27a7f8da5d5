/** Derives the notice about a lease from its state before and after a turn and its events. */
import {
  formatDuration,
  type LeaseEventRecord,
  type LeaseRecord,
  type LeaseState,
  type ReservationKind,
  type StateReason,
} from '../../core/index.ts';
import { type NewNotice, type NoticeFacts, type NoticeKind, noNotice } from './notice.ts';

/** Reasons with which the scheduler removes a lease from its nodes or moves its plan. */
const displacing: ReadonlySet<string> = new Set([
  'NODE_FAILED',
  'NODE_UNAVAILABLE',
  'MAINTENANCE',
  'HOSTS_LATE',
  'START_FAILED',
  'DISPLACED',
]);

/** States in which a lease has no plan, or gets one only from a pass. */
const waiting: ReadonlySet<LeaseState> = new Set(['PENDING', 'QUEUED', 'SUSPENDED_PENDING', 'SUSPENDED_QUEUED']);

/** States in which a lease keeps the reason for which its suspension began. */
const suspended: ReadonlySet<LeaseState> = new Set(['SUSPENDING', 'SUSPENDED_PENDING']);

/** An operation of a lease that is late. */
export interface LateOperation {
  readonly kind: ReservationKind;
  /** Whether this was not known before. */
  readonly isNew: boolean;
}

/**
 * `before` is null for a new lease. The events are those of the lease in this turn, and `late` is an operation that was
 * extended in it. Returns at most one notice.
 */
export function leaseNotice(
  before: LeaseRecord | null,
  after: LeaseRecord,
  events: readonly LeaseEventRecord[],
  late: LateOperation | null,
): NewNotice | null {
  const because = (holds: (code: string) => boolean): StateReason | null =>
    events.findLast(({ from, reason }) => reason !== null && holds(reason.code) && !suspended.has(from))?.reason ??
    null;
  if (after.state === 'FAILED') {
    return hasFailed(after);
  }
  if (after.endedAt !== null || before === null) return null;
  const preemption = because((code) => code === 'PREEMPTED');
  if (preemption) return notice(after, 'LEASE_PREEMPTED', `was preempted: ${preemption.message}`, preemption);
  const displacement = because((code) => displacing.has(code));
  if (displacement) return displaced(before, after, displacement);
  if (before.isWithoutPlace && !after.isWithoutPlace) {
    const start = startOf(after);
    return notice(after, 'LEASE_MOVED', 'has a place again', null, start === null ? {} : { start });
  }
  return lateness(before, after, events, late);
}

export function hasFailed(lease: Pick<LeaseRecord, 'id' | 'project' | 'reason'>): NewNotice {
  const { reason } = lease;
  return notice(lease, 'LEASE_FAILED', reason ? `has failed: ${reason.message}` : 'has failed', reason);
}

function displaced(before: LeaseRecord, after: LeaseRecord, reason: StateReason): NewNotice {
  if (waiting.has(after.state)) {
    return notice(after, 'LEASE_DISPLACED', `has lost its place: ${reason.message}`, reason);
  }
  const [previousStart, start] = [startOf(before), startOf(after)];
  const isLater = previousStart !== null && start !== null && start > previousStart;
  const facts = { ...(previousStart !== null && { previousStart }), ...(start !== null && { start }) };
  const isInPlace = JSON.stringify(before.mapping) === JSON.stringify(after.mapping);
  if (isLater && isInPlace && reason.code === 'HOSTS_LATE') {
    const delay = formatDuration(start - previousStart);
    return notice(after, 'LEASE_LATE', `starts ${delay} later than planned: ${reason.message}`, reason, facts);
  }
  const change = isLater ? ` and starts ${formatDuration(start - previousStart)} later than planned` : '';
  return notice(after, 'LEASE_MOVED', `was moved${change}: ${reason.message}`, reason, facts);
}

const operations: Partial<Readonly<Record<ReservationKind, string>>> = {
  DISK_MIGRATION: 'migration',
  MEMORY_MIGRATION: 'migration',
  RESUMPTION: 'resumption',
  SHUTDOWN: 'shutdown',
  SUSPENSION: 'suspension',
};

/** Hosts take longer than planned: machines start or resume later without a request, or an operation is late. */
function lateness(
  before: LeaseRecord,
  after: LeaseRecord,
  events: readonly LeaseEventRecord[],
  late: LateOperation | null,
): NewNotice | null {
  const operation = late && operations[late.kind];
  const cause = operation ? `its ${operation} takes longer than planned` : 'its hosts take longer';
  const reason = { code: 'HOSTS_LATE', message: cause };
  const previousStart = startOf(before);
  const start = startOf(after);
  const isStarted = after.state === 'ACTIVE' && (before.state === 'ACTIVE' || before.state === 'READY');
  const isPlanned = events.length === 0 && after.state === before.state && hasSameTerms(before, after);
  if (previousStart !== null && start !== null && start > previousStart && (isStarted || isPlanned)) {
    const verb = isStarted ? 'started' : 'starts';
    const delay = formatDuration(start - previousStart);
    const facts = { previousStart, start };
    return notice(after, 'LEASE_LATE', `${verb} ${delay} later than planned: ${cause}`, reason, facts);
  }
  return operation && late?.isNew ? notice(after, 'LEASE_LATE', `is late: ${cause}`, reason) : null;
}

function hasSameTerms(before: LeaseRecord, after: LeaseRecord): boolean {
  return (
    before.requestedStart === after.requestedStart &&
    before.duration === after.duration &&
    before.deadline === after.deadline
  );
}

/** The next start of its machines, or the last one while they run. */
function startOf({ state, actualStart, plannedStart }: LeaseRecord): number | null {
  return state === 'ACTIVE' ? actualStart : plannedStart;
}

function notice(
  { id, project }: Pick<LeaseRecord, 'id' | 'project'>,
  kind: NoticeKind,
  what: string,
  reason: StateReason | null,
  facts: NoticeFacts = {},
): NewNotice {
  return { ...noNotice, kind, leaseId: id, project, message: `Lease ${id} ${what}.`, reason, facts };
}
