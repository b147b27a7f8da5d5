/** The plain data of recurrences, as records.ts. */
import type { Amounts, DiskImage, Instant, Millis, StateReason } from './records.ts';

/** What is done when occurrences of a new recurrence cannot be had. */
export const recurrenceCollisions = ['ALL_OR_NOTHING', 'SKIP'] as const;
export type RecurrenceCollisions = (typeof recurrenceCollisions)[number];

/** An advance reservation that recurs. The scheduler is given its starts: it does not read the rule. */
export interface RecurrenceRequest {
  readonly name: string | null;
  /** One entry per machine, machine 1 first. */
  readonly machines: readonly Amounts[];
  readonly duration: Millis;
  readonly preemptible: boolean;
  readonly image: DiskImage | null;
  readonly owner: string | null;
  readonly project: number | null;
  readonly collisions: RecurrenceCollisions;
  /** RFC 5545 RRULE. */
  readonly rule: string;
  /** A name of the IANA time zone database. */
  readonly timeZone: string;
  /** The start of occurrence 1 on the wall clock: `2030-01-31T08:00:00`. */
  readonly firstStart: string;
}

/** When an occurrence starts. */
export interface OccurrenceStart {
  /** Starts at 1. */
  readonly index: number;
  /** Its day by the rule: `2030-01-31`. */
  readonly day: string;
  readonly start: Instant;
}

/** Occurrences to be made now, ascending index, and the first that is not; null when none follows. */
export interface OccurrencesAhead {
  readonly occurrences: readonly OccurrenceStart[];
  readonly next: OccurrenceStart | null;
}

/** What an update has changed for an occurrence and those after it. */
export interface OccurrenceTerms {
  /** Index of the first occurrence to which it applies. */
  readonly from: number;
  readonly duration: Millis;
  /** How much later than by the rule they start on the wall clock. */
  readonly shift: Millis;
}

/** An occurrence that was not made, because it could not be had. */
export interface SkippedOccurrence {
  readonly index: number;
  readonly start: Instant;
  readonly reason: StateReason;
}

/** A recurrence, whole. */
export interface RecurrenceRecord extends Omit<RecurrenceRequest, 'duration'> {
  /** Counts up from 1 within the site. */
  readonly id: number;
  readonly createdAt: Instant;
  /** Ascending `from`; the first from 1. The last that begins at or before an occurrence holds for it. */
  readonly terms: readonly OccurrenceTerms[];
  /** The first occurrence that has not been made; null when all have. */
  readonly next: OccurrenceStart | null;
  /** Index of the last occurrence; null when only the rule ends the recurrence. */
  readonly lastIndex: number | null;
  readonly skipped: readonly SkippedOccurrence[];
  readonly cancelledAt: Instant | null;
}

/** Changes of a recurrence from an occurrence on. What is absent stays as it is. */
export interface RecurrenceUpdate {
  readonly from: number;
  readonly name?: string | null | undefined;
  readonly duration?: Millis | undefined;
  /** As in OccurrenceTerms. */
  readonly shift?: Millis | undefined;
  /** The new starts of occurrences that were made, and of the next one. */
  readonly ahead: OccurrencesAhead;
}
