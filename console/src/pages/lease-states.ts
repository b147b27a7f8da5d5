import type { ConsoleLeaseDetailQuery, LeaseState } from '../api/generated/operations.ts';

type LeaseDetail = NonNullable<ConsoleLeaseDetailQuery['lease']>;

/** Milliseconds since the epoch. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly isPlanned: boolean;
}

export interface Row {
  readonly state: LeaseState;
  readonly spans: readonly Span[];
}

/** What a reservation that is planned will be as a state. The others are parts of one of these. */
const planned: Readonly<Record<string, LeaseState>> = {
  VM: 'ACTIVE',
  SUSPENSION: 'SUSPENDING',
  RESUMPTION: 'RESUMING',
  MEMORY_MIGRATION: 'MIGRATING',
  DISK_MIGRATION: 'MIGRATING',
};

/**
 * When a lease was in which of its states, and will be as far as it is planned: a row per state, in the order in which
 * they come. A long history begins with the first change that is known.
 */
export function stateRows(
  { endedAt, events, reservations, submittedAt }: LeaseDetail,
  now: number,
): { readonly from: number; readonly to: number; readonly rows: readonly Row[] } {
  const changes = events.nodes.map(({ at, to }) => ({ at: Date.parse(at), state: to }));
  const isWhole = events.totalCount <= changes.length;
  const from = isWhole ? Date.parse(submittedAt) : (changes[0]?.at ?? Date.parse(submittedAt));
  const present = endedAt === null ? Math.max(now, changes.at(-1)?.at ?? now) : Date.parse(endedAt);
  const rows = new Map<LeaseState, Span[]>();
  const add = (state: LeaseState, span: Span) => {
    const spans = rows.get(state);
    if (spans === undefined) rows.set(state, [span]);
    else spans.push(span);
  };
  for (const [index, { at, state }] of changes.entries()) {
    add(state, { start: at, end: changes[index + 1]?.at ?? present, isPlanned: false });
  }
  let to = present;
  const coming = endedAt === null ? reservations.nodes : [];
  for (const { kind, state, start, end } of coming) {
    const then = planned[kind];
    const span = { start: Math.max(Date.parse(start), present), end: Date.parse(end), isPlanned: true };
    if (then === undefined || (state !== 'SCHEDULED' && state !== 'ACTIVE') || span.end <= span.start) continue;
    add(then, span);
    to = Math.max(to, span.end);
  }
  return { from, to, rows: [...rows].map(([state, spans]) => ({ state, spans })) };
}
