import { draftLease, whyRefused } from '../lifecycle/request.ts';
import type { Lease } from '../model/lease.ts';
import type { Amounts, Instant, Millis } from '../model/records.ts';
import { LAST_INSTANT } from '../model/time.ts';
import type { SchedulerState } from '../state.ts';
import { decideOnTrial } from './decision.ts';

export interface AvailabilityQuestion {
  /** One entry per machine. */
  readonly machines: readonly Amounts[];
  readonly duration: Millis;
  readonly preemptible: boolean;
  /** The project for which they would be requested; null or absent: none. */
  readonly project?: number | null;
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
  /** Null: the answer is complete. Otherwise it is that for starts before this one, from which to ask again. */
  readonly continueFrom: Instant | null;
}

/**
 * How many starts are tried for one answer at most: a trial takes up to a millisecond on a site with a thousand plans,
 * and the scheduler does nothing else meanwhile.
 */
const maxTrials = 64;

/** Fewer for leases of many machines, each of which is placed in each trial. A few are needed to make headway. */
function trialsFor(machines: number): number {
  return Math.max(4, Math.min(maxTrials, Math.floor(2_000 / machines)));
}

/**
 * When such machines are available. Each start is judged as the pass judges an advance reservation. An answer may cover
 * only the first of the starts (`continueFrom`).
 */
export function availability(state: SchedulerState, question: AvailabilityQuestion, now: Instant): Availability {
  const { machines, duration, preemptible, project = null } = question;
  const from = Math.max(question.from, now);
  if (from + duration > LAST_INSTANT) return { earliestStart: null, windows: [], continueFrom: null };
  const to = question.to ?? from;
  const draft = (start: Instant) =>
    draftLease(state, { type: 'ADVANCE_RESERVATION', machines, duration, preemptible, project, start }, now);
  const lease = draft(from);
  if (whyRefused(state, lease, now)) return { earliestStart: null, windows: [], continueFrom: null };
  const isAccepted = (start: Instant): boolean =>
    start + duration <= LAST_INSTANT && decideOnTrial(state, draft(start), now).refusal === null;
  return searchStarts(startsThatMatter(state, lease, from, to, duration), from, to, machines.length, isAccepted);
}

/** The answer of a part, and of the next part, which was asked for from where the first one ended. */
export function joinAvailability(part: Availability, next: Availability): Availability {
  const windows = [...part.windows];
  const last = windows.at(-1);
  const [first, ...others] = next.windows;
  if (last && first && last.end === first.start)
    windows.splice(-1, 1, { start: last.start, end: first.end }, ...others);
  else windows.push(...next.windows);
  return {
    earliestStart: part.earliestStart ?? next.earliestStart,
    windows,
    continueFrom: next.continueFrom,
  };
}

/** The first accepted start, and those in [from, to); `starts` as {@link startsThatMatter} returns them. */
export function searchStarts(
  starts: readonly Instant[],
  from: Instant,
  to: Instant,
  machines: number,
  judge: (start: Instant) => boolean,
): Availability {
  const limit = trialsFor(machines);
  let trials = 0;
  const isAccepted = (start: Instant): boolean => {
    trials += 1;
    return judge(start);
  };
  /** The first start in (low, high] that is answered as `high` is; `low` is answered otherwise. */
  const boundary = (low: Instant, high: Instant, accepted: boolean): Instant => {
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (isAccepted(middle) === accepted) high = middle;
      else low = middle;
    }
    return high;
  };

  const windows: { readonly start: Instant; readonly end: Instant }[] = [];
  let earliestStart: Instant | null = null;
  let accepted = false;
  /** From here on, up to `last`, starts are answered with `accepted`. */
  let since = from;
  let last = from;
  let continueFrom: Instant | null = null;
  for (const start of starts) {
    if (start >= to && earliestStart !== null) break;
    if (trials >= limit) {
      continueFrom = last;
      break;
    }
    if (isAccepted(start) !== accepted) {
      const change: Instant = start === from ? from : boundary(last, start, !accepted);
      if (accepted) windows.push({ start: since, end: Math.min(change, to) });
      else earliestStart ??= change;
      accepted = !accepted;
      since = change;
    }
    last = start;
  }
  if (accepted) windows.push({ start: since, end: Math.min(continueFrom ?? to, to) });
  return { earliestStart, windows: windows.filter(({ start, end }) => start < end), continueFrom };
}

/**
 * Ascending, with the first and the last start of each part of the interval in which nothing begins or ends while the
 * machines would run. Leases that give way may change the answer within such a part: the caller looks for where. The
 * first ones, one more than are tried for an answer.
 */
export function startsThatMatter(
  state: SchedulerState,
  lease: Lease,
  from: Instant,
  to: Instant,
  duration: Millis,
): Instant[] {
  const { table, availability: nodes } = state.planning;
  // Each once: of the starts below, none before the last one that is tried may be left out.
  const times = [
    ...new Set([
      ...table.changepoints(from, LAST_INSTANT),
      ...nodes.boundaries(from, LAST_INSTANT),
      ...lastStartsAfter(state),
    ]),
  ].sort((a, b) => a - b);
  /** The first starts after `from` that lie `ahead` before one of the times. */
  const first = (ahead: Millis): Instant[] => {
    const begin = times.findIndex((time) => time - ahead > from);
    const some = begin < 0 ? [] : times.slice(begin, begin + maxTrials + 1);
    return some.map((time) => time - ahead);
  };
  const starts = new Set([
    ...[from, ...state.quotas.startsThatMatter(lease, from, to, duration)],
    ...[1, 0, duration, duration - 1].flatMap(first),
    ...(to > from ? [to - 1] : []),
  ]);
  return [...starts].sort((a, b) => a - b).slice(0, maxTrials + 1);
}

/** When leases with a deadline must start at the latest, if they give way and run afterwards. */
function lastStartsAfter(state: SchedulerState): Instant[] {
  return [...state.leases.values()].flatMap(({ deadline, remaining }) =>
    deadline === null ? [] : [deadline - remaining],
  );
}
