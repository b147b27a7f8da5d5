import { SchedulerError } from '../errors.ts';
import type { Lease } from '../model/lease.ts';
import type { Instant, LeaseRequest, LeaseType, StateReason } from '../model/records.ts';
import type { SchedulerState } from '../state.ts';
import type { NotSchedulable, Plan } from '../vm/plan.ts';
import type { StartWindow } from '../vm/soonest.ts';

/** The rules that set the leases of one type apart. A type is one file in this folder and one line in table.ts. */
export interface LeaseTypeRules {
  readonly type: LeaseType;

  /** Checks the fields that only some types have. Throws INVALID_REQUEST. */
  validate(request: LeaseRequest): void;

  /** Why such a lease can never run on this site, whatever else is planned; null when it can. Asked at request time. */
  whyImpossible(state: SchedulerState, lease: Lease, now: Instant): StateReason | null;

  /**
   * Where a new lease is decided. QUEUE: it waits in the queue until there is a plan. PASS: the pass after its request
   * takes it before the queue, and rejects it when there is no plan. Types with PASS are taken in the order of the
   * table, their leases in ascending order of id.
   */
  readonly decidedIn: 'QUEUE' | 'PASS';

  /**
   * A plan, or why there is none. Leaves everything as it found it. Also asked for leases that were suspended or
   * requeued, and for leases that have a plan and may get a better one (R44): then only a start in one of the windows
   * is of use.
   */
  plan(
    state: SchedulerState,
    lease: Lease,
    now: Instant,
    starts: readonly StartWindow[] | null,
  ): Plan | NotSchedulable;
}

/** Refuses a start and a deadline for a type that has none. */
export function expectNoStart(request: LeaseRequest): void {
  const { start } = request;
  if (start != null)
    throw new SchedulerError('INVALID_REQUEST', 'only an advance reservation has a start', ['start']);
  expectNoDeadline(request);
}

export function expectNoDeadline({ deadline }: LeaseRequest): void {
  if (deadline != null)
    throw new SchedulerError('INVALID_REQUEST', 'only a lease of type DEADLINE has a deadline', ['deadline']);
}
