/** Adds the spans of a turn to the traces of its commands. */
import type { Inbox } from './inbox.ts';
import { type LeaseTraces, type SpanAttributes, type TraceParent, type Tracing, traceTime } from './tracing.ts';
import type { GivenAnswer } from './turn.ts';

/** Times of the stages of a turn, in epoch milliseconds. */
export interface TurnTimes {
  readonly taken: number;
  /** Null if nothing had to be written. */
  readonly commit: { readonly begun: number; readonly ended: number; readonly rows: number } | null;
}

/** Records an answered command and its waiting time. Returns the context for subsequent work. */
function traceCommand(
  tracing: Tracing,
  command: { readonly kind: string; readonly trace: TraceParent; readonly waited: number },
  { taken, commit }: TurnTimes,
  outcome: { readonly leaseNumber: number | null; readonly error: string | null },
): TraceParent {
  const asked = taken - command.waited;
  const span = tracing.begin(`command ${command.kind}`, {
    parent: command.trace,
    at: asked,
    attributes: {
      'leasegraph.command': command.kind,
      ...(outcome.leaseNumber !== null && { 'leasegraph.lease': outcome.leaseNumber }),
    },
  });
  const part = (name: string, at: number, end: number, attributes: SpanAttributes = {}): void =>
    tracing.begin(name, { parent: span.context, at, attributes }).end({ at: end });
  part('inbox', asked, taken);
  if (commit) {
    part('schedule', taken, commit.begun);
    part('commit', commit.begun, commit.ended, { 'leasegraph.rows': commit.rows });
  }
  span.end({ error: outcome.error });
  return span.context;
}

/** Also remembers the traces for the work of hosts on the leases. */
export function traceAnswers(
  answers: readonly GivenAnswer[],
  times: TurnTimes,
  options: { readonly inbox: Inbox; readonly leaseTraces: LeaseTraces; readonly tracing: Tracing | null },
): void {
  const { inbox, leaseTraces, tracing } = options;
  if (tracing === null) return;
  for (const { item, answer } of answers) {
    if (item.type !== 'command' || item.command.trace === undefined) continue;
    const { kind, trace } = item.command;
    const waited = inbox.ageOf(item) - (traceTime() - times.taken);
    const { leaseNumber = null } = ('result' in answer ? answer.result : {}) as { leaseNumber?: number };
    const error = 'error' in answer ? answer.error.message : null;
    const context = traceCommand(tracing, { kind, trace, waited }, times, { leaseNumber, error });
    if (leaseNumber !== null) leaseTraces.remember(leaseNumber, context);
  }
}
