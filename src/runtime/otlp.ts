/** Traces over OTLP (HTTP, JSON). Loaded only when tracing is on. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { TraceParent, Tracing } from '../engine/index.ts';

export interface RunningTracing extends Tracing {
  /** Sends what has not been sent, if the receiver takes it in time. */
  close(): Promise<void>;
}

/** How long the end of the process waits for the receiver (ms). */
const closingTime = 1_000;

const traceParent = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Where, how much and how often is read from the variables OTEL_…. */
export function sendTraces(thread: string): RunningTracing {
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'leasegraph' }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const tracer = provider.getTracer('leasegraph');
  return {
    begin: (name, { parent, at, attributes, isServer }) => {
      const span = tracer.startSpan(
        name,
        {
          kind: isServer ? SpanKind.SERVER : SpanKind.INTERNAL,
          attributes: { 'thread.name': thread, ...attributes },
          ...(at !== undefined && { startTime: at }),
        },
        contextOf(parent),
      );
      const { traceId, spanId, traceFlags } = span.spanContext();
      return {
        context: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
        end: ({ at: end, attributes: more, error } = {}) => {
          if (more) span.setAttributes(more);
          if (error != null) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
          span.end(end);
        },
      };
    },
    close: async () => {
      const sent = provider.shutdown().catch(() => {});
      await Promise.race([sent, sleep(closingTime, undefined, { ref: false })]);
    },
  };
}

/** A context that is not well formed is that of a new trace. */
function contextOf(parent: TraceParent | null): Context {
  const [, traceId, spanId, flags] = traceParent.exec(parent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
  });
}
