/** The tracing interface of the engine and the server; `runtime` exports the spans. Absent when tracing is off. */

/** A trace context in the format of the W3C header `traceparent`. */
export type TraceParent = string;

export interface SpanStart {
  /** Null starts a new trace. */
  readonly parent: TraceParent | null;
  /** Epoch milliseconds. Default: now. */
  readonly at?: number;
  readonly attributes?: SpanAttributes;
  /** A request served by this process. */
  readonly isServer?: boolean;
}

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface Span {
  /** The context for child spans. */
  readonly context: TraceParent;
  /** `at`: epoch milliseconds, default now. `error`: reason of a failure. */
  end(end?: { readonly at?: number; readonly attributes?: SpanAttributes; readonly error?: string | null }): void;
}

export interface Tracing {
  begin(name: string, start: SpanStart): Span;
}

/** The current time in epoch milliseconds, with high resolution. */
export function traceTime(): number {
  return performance.timeOrigin + performance.now();
}

/** Maximum number of remembered lease traces; the oldest are dropped first. */
const maxLeases = 10_000;

/** The trace that last changed each lease; work of hosts for the lease is recorded there. */
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
