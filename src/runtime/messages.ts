/** What the main thread and the thread of the engine say to each other. Everything is plain data. */
import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { ConfiguredSite, ServerConfig } from '../config/index.ts';
import type { Instant } from '../core/index.ts';
import type {
  CommandName,
  CommandOptions,
  CommandResult,
  EngineStatus,
  LeaseEventRecord,
  NoticeRecord,
  Refusal,
} from '../engine/index.ts';
import type { OpenStore } from '../store/index.ts';

export type Metrics = MetricObjectWithValues<MetricValue<string>>[];

/** What the thread is started with. */
export interface ThreadData {
  readonly config: ServerConfig;
}

export type ToEngine =
  | {
      readonly type: 'submit';
      readonly id: number;
      readonly kind: CommandName;
      /** The input of its kind. */
      readonly input: unknown;
      readonly options: CommandOptions;
    }
  | { readonly type: 'metrics'; readonly id: number }
  | { readonly type: 'stop' };

export type FromEngine =
  | { readonly type: 'started'; readonly engine: StartedEngine }
  | { readonly type: 'failed'; readonly error: PlainError }
  | { readonly type: 'result'; readonly id: number; readonly result: CommandResult<CommandName> }
  | { readonly type: 'refused'; readonly id: number; readonly error: Refusal['error'] }
  | { readonly type: 'metrics'; readonly id: number; readonly metrics: Metrics }
  /** Committed events, in order. */
  | { readonly type: 'events'; readonly events: readonly LeaseEventRecord[] }
  /** The database holds all events up to this one; they are not sent. */
  | { readonly type: 'skipped'; readonly sequence: number }
  /** The same of notices. */
  | { readonly type: 'notices'; readonly notices: readonly NoticeRecord[] }
  | { readonly type: 'notices-skipped'; readonly sequence: number }
  | { readonly type: 'clock'; readonly origin: Instant; readonly floor: Instant }
  /** Sent at every change, and at least once per second. */
  | { readonly type: 'status'; readonly status: EngineStatus }
  /** The engine has stopped by itself. */
  | { readonly type: 'fatal'; readonly error: PlainError };

export interface StartedEngine {
  readonly site: ConfiguredSite;
  readonly kind: OpenStore['kind'];
  /** Where other threads and processes reach the database. */
  readonly databaseUrl: string;
  readonly lastEvent: number;
  readonly lastNotice: number;
  readonly status: EngineStatus;
}

/** An error without its class, which does not cross threads. */
export interface PlainError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string | undefined;
  readonly code?: string | undefined;
  readonly kind?: string | undefined;
  readonly exitCode?: number | undefined;
}

export function plainError(error: unknown): PlainError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const { name, message, stack, code, kind, exitCode } = error as Error & Partial<PlainError>;
  return { name, message, stack, code, kind, exitCode };
}

export function errorFrom({ name, message, stack, ...rest }: PlainError): Error {
  const given = Object.entries(rest).filter(([, value]) => value !== undefined);
  return Object.assign(new Error(message), { name, stack, ...Object.fromEntries(given) });
}
