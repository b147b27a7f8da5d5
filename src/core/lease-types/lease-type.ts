import { SchedulerError } from '../errors.ts';
import type { Lease } from '../model/lease.ts';
import type { Instant, LeaseRequest, LeaseType, StateReason } from '../model/records.ts';
import type { SchedulerState } from '../state.ts';
import type { NotSchedulable, Plan } from '../vm/plan.ts';
import type { StartWindow } from '../vm/soonest.ts';

/** The rules specific to one lease type. A type is one file in this folder and one line in table.ts. */
export interface LeaseTypeRules {
  readonly type: LeaseType;

  /** Validates type-specific fields. Throws INVALID_REQUEST. */
  validate(request: LeaseRequest): void;

  /**
   * Why such a lease can never run on this site, independent of other plans; null if it can. Called at request time.
   */
  whyImpossible(state: SchedulerState, lease: Lease, now: Instant): StateReason | null;

  /**
   * Where a new lease is decided. QUEUE: it waits in the queue until there is a plan. PASS: the pass after its request
   * takes it before the queue, and rejects it when there is no plan. Types with PASS are taken in the order of the
   * table, their leases in ascending order of id.
   */
  readonly decidedIn: 'QUEUE' | 'PASS';

  /**
   * Returns a plan, or why there is none. Changes nothing. Also called for suspended and requeued leases, and for
   * planned leases that may get a better plan (R44): then only starts in one of the windows are useful.
   */
  plan(state: SchedulerState, lease: Lease, now: Instant, starts: readonly StartWindow[] | null): Plan | NotSchedulable;
}

/** Rejects a start or a deadline for a type without them. */
export function expectNoStart(request: LeaseRequest): void {
  const { start } = request;
  if (start != null) throw new SchedulerError('INVALID_REQUEST', 'Only an advance reservation has a start.', ['start']);
  expectNoDeadline(request);
}

export function expectNoDeadline({ deadline }: LeaseRequest): void {
  if (deadline != null)
    throw new SchedulerError('INVALID_REQUEST', 'Only a lease of type DEADLINE has a deadline.', ['deadline']);
}
