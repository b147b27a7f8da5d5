/** Plain data of recurrences, as in records.ts. */
import type { Amounts, DiskImage, Instant, Millis, StateReason } from './records.ts';

/** What to do when occurrences of a new recurrence are impossible. */
export const recurrenceCollisions = ['ALL_OR_NOTHING', 'SKIP'] as const;
export type RecurrenceCollisions = (typeof recurrenceCollisions)[number];

/** A recurring advance reservation. The scheduler receives its starts and does not parse the rule. */
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
  /** IANA time zone name. */
  readonly timeZone: string;
  /** Local start of occurrence 1: `2030-01-31T08:00:00`. */
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

/** Occurrences due now, ascending index, and the first later one; null if none follows. */
export interface OccurrencesAhead {
  readonly occurrences: readonly OccurrenceStart[];
  readonly next: OccurrenceStart | null;
}

/** Updated terms of an occurrence and those after it. */
export interface OccurrenceTerms {
  /** Index of the first occurrence to which it applies. */
  readonly from: number;
  readonly duration: Millis;
  /** Offset of their local start from the rule. */
  readonly shift: Millis;
}

/** An occurrence that was skipped because it was impossible. */
export interface SkippedOccurrence {
  readonly index: number;
  readonly start: Instant;
  readonly reason: StateReason;
}

/** A complete recurrence. */
export interface RecurrenceRecord extends Omit<RecurrenceRequest, 'duration'> {
  /** Increases from 1 within the site. */
  readonly id: number;
  readonly createdAt: Instant;
  /** Ascending `from`, starting at 1. The last entry at or before an occurrence applies to it. */
  readonly terms: readonly OccurrenceTerms[];
  /** The first occurrence that has not been created; null if all have. */
  readonly next: OccurrenceStart | null;
  /** Index of the last occurrence; null when only the rule ends the recurrence. */
  readonly lastIndex: number | null;
  readonly skipped: readonly SkippedOccurrence[];
  readonly cancelledAt: Instant | null;
}

/** Changes of a recurrence from an occurrence on. Absent fields are unchanged. */
export interface RecurrenceUpdate {
  readonly from: number;
  readonly name?: string | null | undefined;
  readonly duration?: Millis | undefined;
  /** As in OccurrenceTerms. */
  readonly shift?: Millis | undefined;
  /** New starts of created occurrences and of the next one. */
  readonly ahead: OccurrencesAhead;
}
