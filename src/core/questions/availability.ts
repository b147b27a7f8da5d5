import { draftLease, whyRefused } from '../lifecycle/request.ts';
import type { Amounts, Instant, Millis } from '../model/records.ts';
import { LAST_INSTANT } from '../model/time.ts';
import type { SchedulerState } from '../state.ts';
import { decideOnTrial } from './decision.ts';

export interface AvailabilityQuestion {
  /** One entry per machine. */
  readonly machines: readonly Amounts[];
  readonly duration: Millis;
  readonly preemptible: boolean;
  readonly from: Instant;
  /** Up to where windows are asked for; null: only the earliest start. */
  readonly to: Instant | null;
}

export interface Availability {
  /**
   * The first start, from `from` on, at which an advance reservation of the machines would be accepted; null when there
   * is none.
   */
  readonly earliestStart: Instant | null;
  /** The starts in [from, to) at which it would be: ascending, half-open, apart from each other. */
  readonly windows: readonly { readonly start: Instant; readonly end: Instant }[];
}

/** No question looks at more starts than this: beyond it the answer ends. */
const maxStarts = 5_000;

/** When such machines could be had. Each start is judged as the pass judges an advance reservation. */
export function availability(
  state: SchedulerState,
  question: AvailabilityQuestion,
  now: Instant,
): Availability {
  const { machines, duration, preemptible } = question;
  const from = Math.max(question.from, now);
  const to = question.to ?? from;
  const lease = draftLease(
    state,
    { type: 'ADVANCE_RESERVATION', machines, duration, preemptible, start: from },
    now,
  );
  if (whyRefused(state, lease, now)) return { earliestStart: null, windows: [] };
  const isAccepted = (start: Instant): boolean => {
    if (start + duration > LAST_INSTANT) return false;
    const candidate = draftLease(
      state,
      { type: 'ADVANCE_RESERVATION', machines, duration, preemptible, start },
      now,
    );
    return decideOnTrial(state, candidate, now).refusal === null;
  };
  const windows: { start: Instant; end: Instant }[] = [];
  let earliestStart: Instant | null = null;
  const starts = startsThatMatter(state, from, duration);
  for (const [index, start] of starts.entries()) {
    if (start >= to && earliestStart !== null) break;
    if (!isAccepted(start)) continue;
    earliestStart ??= start;
    const end = Math.min(starts[index + 1] ?? Number.POSITIVE_INFINITY, to);
    const last = windows.at(-1);
    if (last && last.end === start) last.end = end;
    else if (start < end) windows.push({ start, end });
  }
  return { earliestStart, windows };
}

/** Between two of these nothing begins or ends within the time that the machines would run. */
function startsThatMatter(state: SchedulerState, from: Instant, duration: Millis): Instant[] {
  const starts = new Set([from]);
  for (const time of state.table.changepoints(from, LAST_INSTANT)) {
    for (const start of [time, time - duration + 1]) if (start > from) starts.add(start);
    if (starts.size >= maxStarts) break;
  }
  return [...starts].sort((a, b) => a - b);
}
