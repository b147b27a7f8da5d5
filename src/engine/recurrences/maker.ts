import type { Logger } from 'pino';
import type { Instant, RecurrenceRecord } from '../../core/index.ts';
import { CommandError } from '../commands/answer.ts';
import type { Core } from '../core.ts';
import { guarded } from '../turn.ts';
import type { RecurrenceLimits } from './limits.ts';
import { occurrencesAhead, seriesOf } from './series.ts';

/**
 * Creates the leases of due occurrences. The progress of each recurrence is part of the scheduler state and is written
 * in the same transaction as the leases, so no failure creates an occurrence twice or skips it.
 */
export class OccurrenceMaker {
  /** Recurrences written by another version that this version cannot read. */
  private readonly unreadable = new Set<number>();

  constructor(
    private readonly limits: Pick<RecurrenceLimits, 'horizon'>,
    private readonly log: Logger,
  ) {}

  /** When the next occurrence is due; null when there is none. */
  nextDue({ recurrences }: Pick<Core, 'recurrences'>): Instant | null {
    let due: Instant | null = null;
    for (const { id, next } of recurrences.all) {
      if (next === null || this.unreadable.has(id)) continue;
      const at = next.start - this.limits.horizon;
      if (due === null || at < due) due = at;
    }
    return due;
  }

  /** Requests due occurrences until `maxRows` rows are to be written; the rest stays due. Throws CoreFailure. */
  makeDue(core: Core, now: Instant, maxRows: number): void {
    guarded('making occurrences', () => this.request(core, now, maxRows));
  }

  private request(core: Core, now: Instant, maxRows: number): void {
    const until = now + this.limits.horizon;
    for (const recurrence of core.recurrences.all) {
      if (recurrence.next === null || recurrence.next.start > until) continue;
      if (!this.unreadable.has(recurrence.id)) this.make(core, now, recurrence, until);
      if (core.changedRows >= maxRows) return;
    }
  }

  private make(core: Core, now: Instant, recurrence: RecurrenceRecord, until: Instant): void {
    const { id, next, terms } = recurrence;
    if (next === null) return;
    try {
      const ahead = occurrencesAhead(seriesOf(recurrence), next, terms, now, until);
      core.recurrences.makeOccurrences(now, id, ahead);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      this.unreadable.add(id);
      this.log.error({ err: error, recurrence: id }, 'the occurrences of a recurrence cannot be made');
    }
  }
}
