import { SchedulerError } from '../../errors.ts';
import type { Lease } from '../../model/lease.ts';
import type { Instant, LeaseState, LeaseUpdate, Millis } from '../../model/records.ts';
import { formatDuration, isDuration, LAST_INSTANT } from '../../model/time.ts';

/** The fields of a lease that can be updated. */
export interface Terms {
  readonly requestedStart: Instant | null;
  readonly duration: Millis;
  readonly deadline: Instant | null;
}

export function termsOf({ requestedStart, duration, deadline }: Lease): Terms {
  return { requestedStart, duration, deadline };
}

const started: ReadonlySet<LeaseState> = new Set([
  'ACTIVE',
  'SUSPENDING',
  'SUSPENDED_PENDING',
  'SUSPENDED_QUEUED',
  'SUSPENDED_SCHEDULED',
  'MIGRATING',
  'RESUMING',
  'RESUMED_READY',
]);

/** Whether its machines exist or are saved. */
export function hasStarted({ state }: Lease): boolean {
  return started.has(state);
}

/** The new terms; null if nothing changes (L2). Throws LEASE_ENDED, LEASE_STARTED or INVALID_REQUEST. */
export function newTerms(lease: Lease, update: LeaseUpdate): Terms | null {
  const { id, type, vm } = lease;
  const shutdown = vm?.after[0];
  if (shutdown?.kind === 'SHUTDOWN' && shutdown.state !== 'SCHEDULED')
    throw new SchedulerError('LEASE_ENDED', `The machines of lease ${id} are being shut down.`);
  const { start = lease.requestedStart, duration = lease.duration, deadline = lease.deadline } = update;
  const hasStart = type === 'ADVANCE_RESERVATION' || type === 'DEADLINE';
  if (start !== lease.requestedStart) {
    if (hasStart && hasStarted(lease))
      throw new SchedulerError(
        'LEASE_STARTED',
        `The machines of lease ${id} have started, so its start cannot change.`,
        ['start'],
      );
    if (!hasStart) refuse('start', `Lease ${id} is ${type}: it has no start that could be changed.`);
    if (!Number.isSafeInteger(start))
      refuse('start', `Lease ${id} cannot start at ${start}; a start is a whole number of milliseconds.`);
  }
  if (deadline !== lease.deadline) {
    if (type !== 'DEADLINE') refuse('deadline', `Lease ${id} is ${type}: it has no deadline.`);
    if (!Number.isSafeInteger(deadline))
      refuse('deadline', `The deadline of lease ${id} cannot be ${deadline}; it is a whole number of milliseconds.`);
  }
  if (!Number.isSafeInteger(duration) || duration <= 0)
    refuse('duration', `The duration is ${duration} ms; it must be longer than 0.`);
  if (Math.max((start ?? 0) + duration, deadline ?? 0) > LAST_INSTANT)
    refuse('duration', `Lease ${id} would end after the year 9999.`);
  const { endNotice } = update;
  if (endNotice !== undefined && !isDuration(endNotice))
    refuse('endNotice', `The end notice of lease ${id} cannot be ${endNotice} ms; it must be 0 or longer.`);
  const isSame = start === lease.requestedStart && duration === lease.duration && deadline === lease.deadline;
  return isSame ? null : { requestedStart: start, duration, deadline };
}

function refuse(field: string, message: string): never {
  throw new SchedulerError('INVALID_REQUEST', message, [field]);
}

/** How long its machines have run. */
export function ranSoFar({ accumulated, vm }: Lease, now: Instant): Millis {
  return vm?.state === 'ACTIVE' ? accumulated + now - vm.start : accumulated;
}

export function tooShort(lease: Lease): SchedulerError {
  return new SchedulerError(
    'TOO_SHORT',
    `Lease ${lease.id} has run for too long already to last ${formatDuration(lease.duration)}.`,
    ['duration'],
  );
}

export function deadlineCannotBeMet(lease: Lease): SchedulerError {
  return new SchedulerError(
    'DEADLINE_CANNOT_BE_MET',
    `With these terms lease ${lease.id} cannot be over by its deadline.`,
  );
}
