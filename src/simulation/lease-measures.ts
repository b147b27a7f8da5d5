import { isFinal, type LeaseState } from '../core/index.ts';
import type { EventResult, LeaseResult, Seconds, SimulationResult } from './result.ts';

/** A shorter running time counts as this long in a bounded slowdown. */
const slowdownBound: Seconds = 10;

/** What became of one lease. Times in seconds; null where the lease has no such time. */
export interface LeaseMeasures {
  /** From the submission to the last start. */
  readonly waiting: Seconds | null;
  /** From the submission to the end, of a lease that is DONE. */
  readonly turnaround: Seconds | null;
  /** turnaround / max(running time, 10 s), at least 1. */
  readonly boundedSlowdown: number | null;
  /** From the beginning of each suspension until the machines run again. */
  readonly suspended: Seconds;
  /** How often it went back to the queue, or to be planned anew, after its machines had run. */
  readonly requeues: number;
  /** Running time of machines that a requeue threw away: machines times seconds. */
  readonly lostVmTime: Seconds;
}

/** States in which machines of a lease exist. */
const live: ReadonlySet<LeaseState> = new Set([
  'ACTIVE',
  'SUSPENDING',
  'SUSPENDED_PENDING',
  'SUSPENDED_QUEUED',
  'SUSPENDED_SCHEDULED',
  'MIGRATING',
  'RESUMING',
  'RESUMED_READY',
]);

/** Measures of every lease of a run, by number. */
export function measureLeases({ leases, events, summary }: SimulationResult): Map<number, LeaseMeasures> {
  const histories = new Map<number, EventResult[]>();
  for (const event of events) {
    const history = histories.get(event[1]);
    if (history === undefined) histories.set(event[1], [event]);
    else history.push(event);
  }
  return new Map(leases.map((lease) => [lease.id, measure(lease, histories.get(lease.id) ?? [], summary.end)]));
}

function measure(lease: LeaseResult, history: readonly EventResult[], runEnd: Seconds): LeaseMeasures {
  const { submit, start, end, state, accumulated, machines } = lease;
  let suspended = 0;
  let suspendedAt: Seconds | null = null;
  let requeues = 0;
  for (const event of history) {
    const { 0: at, 2: from, 3: to } = event;
    const requeued = live.has(from) && (to === 'QUEUED' || to === 'PENDING');
    if (requeued) requeues += 1;
    if (to === 'SUSPENDING') suspendedAt = at;
    else if (suspendedAt !== null && (to === 'ACTIVE' || requeued || isFinal(to))) {
      suspended += at - suspendedAt;
      suspendedAt = null;
    }
  }
  if (suspendedAt !== null) suspended += runEnd - suspendedAt;
  let ran = 0;
  for (const { kind, start, end } of lease.reservations) if (kind === 'VM') ran += end - start;
  const turnaround = state === 'DONE' && end !== null ? end - submit : null;
  return {
    waiting: start === null ? null : start - submit,
    turnaround,
    boundedSlowdown: turnaround === null ? null : Math.max(1, turnaround / Math.max(accumulated, slowdownBound)),
    suspended,
    requeues,
    lostVmTime: requeues === 0 ? 0 : Math.max(0, ran - accumulated) * machines,
  };
}
