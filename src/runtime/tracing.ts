/** Whether work is traced, and where traces are sent: as the standard variables of OpenTelemetry say. */
import type { Logger } from 'pino';
import type { RunningTracing } from './otlp.ts';

const endpoints = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const;

/** Null, and nothing is loaded, unless an endpoint is set. `thread` names the thread in each span. */
export async function startTracing(thread: string, log: Logger): Promise<RunningTracing | null> {
  const { env } = process;
  if (!endpoints.some((name) => env[name])) return null;
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || env.OTEL_TRACES_EXPORTER === 'none') return null;
  const protocol = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? env.OTEL_EXPORTER_OTLP_PROTOCOL ?? '';
  if (protocol === 'grpc') {
    log.warn('OTEL_EXPORTER_OTLP_PROTOCOL=grpc is not supported: traces are sent over HTTP, as JSON');
  }
  const { sendTraces } = await import('./otlp.ts');
  return sendTraces(thread);
}
