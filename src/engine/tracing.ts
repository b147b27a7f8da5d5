/** Traces, as the engine and the server report them; `runtime` sends them. Off: there is none of this. */

/** Where a piece of work belongs: a trace context in the form of the W3C header `traceparent`. */
export type TraceParent = string;

export interface SpanStart {
  /** Null: a trace of its own. */
  readonly parent: TraceParent | null;
  /** Epoch milliseconds. Default: now. */
  readonly at?: number;
  readonly attributes?: SpanAttributes;
  /** A request that this process serves. */
  readonly isServer?: boolean;
}

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface Span {
  /** The context of what is done within it. */
  readonly context: TraceParent;
  /** `at`: epoch milliseconds; default: now. `error`: why the work failed. */
  end(end?: {
    readonly at?: number;
    readonly attributes?: SpanAttributes;
    readonly error?: string | null;
  }): void;
}

export interface Tracing {
  begin(name: string, start: SpanStart): Span;
}

/** The present, precisely: epoch milliseconds. */
export function traceTime(): number {
  return performance.timeOrigin + performance.now();
}

/** The traces of leases that are remembered: later ones push the oldest out. */
const maxLeases = 10_000;

/** The trace in which each lease was last changed: what hosts do for it is shown there. */
export class LeaseTraces {
  private readonly contexts = new Map<number, TraceParent>();

  remember(leaseId: number, context: TraceParent): void {
    this.contexts.delete(leaseId);
    this.contexts.set(leaseId, context);
    const [oldest] = this.contexts.keys();
    if (this.contexts.size > maxLeases && oldest !== undefined) this.contexts.delete(oldest);
  }

  of(leaseId: number): TraceParent | null {
    return this.contexts.get(leaseId) ?? null;
  }
}
