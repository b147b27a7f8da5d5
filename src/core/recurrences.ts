import { cancelRecurrence } from './lifecycle/recurrences/cancel.ts';
import { createRecurrence } from './lifecycle/recurrences/create.ts';
import { makeOccurrences } from './lifecycle/recurrences/make.ts';
import { openRecurrence, waitingOccurrences } from './lifecycle/recurrences/series.ts';
import { updateRecurrence } from './lifecycle/recurrences/update.ts';
import type { CommandOutcome, Instant, LeaseRecord } from './model/records.ts';
import type {
  OccurrencesAhead,
  RecurrenceRecord,
  RecurrenceRequest,
  RecurrenceUpdate,
} from './model/recurrence-records.ts';
import { leaseRecord } from './snapshot.ts';
import type { SchedulerState } from './state.ts';

/** What became of a recurrence, and what that did to leases of others. */
export interface RecurrenceOutcome extends CommandOutcome {
  readonly recurrence: RecurrenceRecord;
}

/** The commands of the scheduler that concern recurrences. As for its others, what is refused has changed nothing. */
export class Recurrences {
  constructor(
    private readonly state: SchedulerState,
    private readonly carryOut: (now: Instant, run: () => void) => CommandOutcome,
  ) {}

  /**
   * An advance reservation that recurs. Throws INVALID_REQUEST, UNSUPPORTED_LEASE_TYPE or NOT_SCHEDULABLE, with the
   * first occurrence that is not available.
   */
  create(now: Instant, request: RecurrenceRequest, ahead: OccurrencesAhead): RecurrenceOutcome {
    return this.change(now, () => createRecurrence(this.state, request, ahead, now));
  }

  /** The turn of occurrences has come: those that were not made are requested. */
  makeOccurrences(now: Instant, id: number, ahead: OccurrencesAhead): void {
    this.carryOut(now, () => makeOccurrences(this.state, id, ahead, now));
  }

  /** Throws RECURRENCE_NOT_FOUND, RECURRENCE_ENDED, INVALID_REQUEST or NOT_SCHEDULABLE. */
  update(now: Instant, id: number, update: RecurrenceUpdate): RecurrenceOutcome {
    return this.change(now, () => updateRecurrence(this.state, id, update, now));
  }

  /** Cancels occurrences that have not started. Throws RECURRENCE_NOT_FOUND, RECURRENCE_ENDED or INVALID_REQUEST. */
  cancel(now: Instant, id: number, from: number): RecurrenceOutcome {
    return this.change(now, () => cancelRecurrence(this.state, id, from, now));
  }

  /** Those that are not over, and some that are, ascending id. */
  get all(): readonly RecurrenceRecord[] {
    return this.state.recurrences.all;
  }

  /** A recurrence with occurrences to come. Throws RECURRENCE_NOT_FOUND or RECURRENCE_ENDED. */
  open(id: number): RecurrenceRecord {
    return openRecurrence(this.state, id);
  }

  /** Occurrences that were made and have not started, from an index on, ascending index. */
  waiting(id: number, from: number): readonly LeaseRecord[] {
    return waitingOccurrences(this.state, id, from).map(leaseRecord);
  }

  private change(now: Instant, run: () => RecurrenceRecord): RecurrenceOutcome {
    const records: RecurrenceRecord[] = [];
    const { displaced } = this.carryOut(now, () => records.push(run()));
    const [recurrence] = records as [RecurrenceRecord];
    const isOwn = (lease: number): boolean =>
      this.state.leases.get(lease)?.terms.occurrenceOf?.recurrence === recurrence.id;
    return { recurrence, displaced: displaced.filter((lease) => !isOwn(lease)) };
  }
}
