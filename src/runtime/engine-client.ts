import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { ServerConfig } from '../config/index.ts';
import type { Instant, LeaseEventRecord } from '../core/index.ts';
import {
  CommandError,
  type CommandInput,
  type CommandName,
  type CommandOptions,
  type CommandResult,
  defaultLimits,
  type EngineStatus,
  type EventPage,
  type LeaseService,
  type NoticeRecord,
  noticesOf,
  Publisher,
  SiteClock,
  type Store,
} from '../engine/index.ts';
import {
  errorFrom,
  type FromEngine,
  type Metrics,
  type StartedEngine,
  type ThreadData,
  type ToEngine,
} from './messages.ts';

/** How long the thread may be silent before the server is not ready (ms). It sends its status once per second. */
const maxSilence = 10_000;
/** How long /metrics waits for the thread (ms). */
const metricsTimeout = 1_000;
/** How long the thread may take to stop (ms). */
const stopTimeout = 5_000;

export interface EngineThreadOptions {
  readonly log: Logger;
  /** The engine has stopped by itself, or its thread has died: the process cannot go on. */
  readonly onFatal: (error: Error) => void;
}

interface Waiting {
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

/** The thread of the engine, seen from the main thread. */
export class EngineThread {
  private readonly worker: Worker;
  private readonly unheard: FromEngine[] = [];
  private listener: ((message: FromEngine) => void) | null = null;
  private readonly exited: Promise<unknown>;
  private ended: Error | null = null;
  private stopping = false;
  private onEnd: (error: Error) => void = () => {};

  private constructor(
    config: ServerConfig,
    private readonly options: EngineThreadOptions,
  ) {
    const data: ThreadData = { config };
    this.worker = new Worker(threadEntry(), { name: 'engine', workerData: data });
    this.exited = once(this.worker, 'exit');
    this.worker.on('message', (message: FromEngine) => {
      if (this.listener) this.listener(message);
      else this.unheard.push(message);
    });
    this.worker.on('error', (error) => this.died(error instanceof Error ? error : new Error(String(error))));
    this.worker.on('exit', (code) => {
      this.died(new Error(`the thread of the engine has ended (exit code ${code})`));
    });
  }

  /** Starts the thread, and resolves when the engine serves. Rejects with what its start failed for. */
  static async start(
    config: ServerConfig,
    options: EngineThreadOptions,
  ): Promise<{ readonly thread: EngineThread; readonly engine: StartedEngine }> {
    const thread = new EngineThread(config, options);
    const engine = await new Promise<StartedEngine>((resolve, reject) => {
      thread.onEnd = reject;
      const early: FromEngine[] = [];
      thread.listener = (message) => {
        if (message.type === 'failed') {
          thread.stopping = true;
          reject(errorFrom(message.error));
        } else if (message.type === 'started') {
          thread.listener = null;
          thread.unheard.unshift(...early);
          resolve(message.engine);
        } else early.push(message);
      };
    });
    return { thread, engine };
  }

  /** All messages from now on, and those that came since the start. */
  listen(listener: (message: FromEngine) => void, onEnd: (error: Error) => void): void {
    this.onEnd = onEnd;
    if (this.ended) onEnd(this.ended);
    for (const message of this.unheard.splice(0)) listener(message);
    this.listener = listener;
  }

  post(message: ToEngine): void {
    this.worker.postMessage(message);
  }

  /** Stops the engine, and resolves when the thread has ended. */
  async stop(): Promise<void> {
    this.stopping = true;
    if (this.ended) return;
    this.post({ type: 'stop' });
    const timer = setTimeout(() => {
      this.options.log.warn('the thread of the engine does not stop and is terminated');
      void this.worker.terminate();
    }, stopTimeout);
    await this.exited;
    clearTimeout(timer);
  }

  private died(error: Error): void {
    if (this.ended) return;
    this.ended = error;
    this.onEnd(error);
    if (this.stopping) return;
    this.options.log.fatal({ err: error }, 'the thread of the engine has died; the server stops');
    this.options.onFatal(error);
  }
}

/** Beside this file in the sources, and in the bundle. */
function threadEntry(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './engine-thread.ts' : './engine-thread.js', import.meta.url);
}

export interface EngineClientOptions {
  readonly thread: EngineThread;
  readonly engine: StartedEngine;
  /** Where events are read that are no longer in memory. */
  readonly store: Pick<Store, 'events' | 'eventRange' | 'notices' | 'noticeRange'>;
  readonly clockSpeed: number;
  readonly onFatal: (error: Error) => void;
  readonly onReplayed: (count: number) => void;
}

/**
 * The engine of another thread as a service of this one. Events are kept here as well, so that readers do not trouble
 * the engine.
 */
export class EngineClient implements LeaseService {
  private readonly thread: EngineThread;
  private readonly clock: SiteClock;
  private readonly publisher: Publisher<LeaseEventRecord>;
  readonly notices: Publisher<NoticeRecord>;
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;
  private current: EngineStatus;
  private heardAt = performance.now();
  private ended: Error | null = null;

  constructor({ thread, engine, store, clockSpeed, onFatal, onReplayed }: EngineClientOptions) {
    this.thread = thread;
    this.current = engine.status;
    this.clock = new SiteClock(clockSpeed);
    const publishing = {
      ringSize: defaultLimits.eventRing,
      pageSize: defaultLimits.eventPage,
      concurrentReads: defaultLimits.eventReaders,
      onReplayed,
      sleep: (ms: number, signal: AbortSignal) => this.clock.sleep(ms, signal),
    };
    this.publisher = new Publisher({ store, noun: 'events', ...publishing });
    this.notices = new Publisher({ store: noticesOf(store), noun: 'notices', ...publishing });
    thread.listen(
      (message) => {
        if (message.type === 'fatal') onFatal(errorFrom(message.error));
        else this.heard(message);
      },
      (error) => this.end(error),
    );
    this.publisher.skipTo(engine.lastEvent);
    this.notices.skipTo(engine.lastNotice);
  }

  submit<K extends CommandName>(kind: K, input: CommandInput<K>, options: CommandOptions): Promise<CommandResult<K>> {
    if (this.ended) return Promise.reject(unavailable());
    return this.request((id) => ({ type: 'submit', id, kind, input, options }));
  }

  events(options: Parameters<LeaseService['events']>[0]): AsyncIterable<LeaseEventRecord> {
    return this.publisher.subscribe(options);
  }

  lastEvent(): number {
    return this.publisher.last;
  }

  eventsAfter({ signal, ...request }: Parameters<LeaseService['eventsAfter']>[0]): Promise<EventPage> {
    return this.publisher.page({ leaseNumber: null, ...request }, signal);
  }

  now(): Instant {
    return this.clock.now();
  }

  /** Milliseconds since the thread was last heard of. */
  get silence(): number {
    return performance.now() - this.heardAt;
  }

  status(): EngineStatus {
    const { silence } = this;
    if (this.ended || silence <= maxSilence) return this.current;
    const problem = `The scheduler has not responded for ${Math.floor(silence / 1_000)} s.`;
    return { ...this.current, problems: [...this.current.problems, problem] };
  }

  /** Null when the thread does not answer in time. */
  async metrics(): Promise<Metrics | null> {
    if (this.ended) return null;
    const answer = this.request<Metrics>((id) => ({ type: 'metrics', id })).catch(() => null);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), metricsTimeout);
    });
    return Promise.race([answer, late]).finally(() => clearTimeout(timer));
  }

  async stop(): Promise<void> {
    await this.thread.stop();
    this.publisher.close();
    this.notices.close();
  }

  private request<T>(message: (id: number) => ToEngine): Promise<T> {
    return new Promise((resolve, reject) => {
      this.lastId += 1;
      this.waiting.set(this.lastId, { resolve, reject });
      this.thread.post(message(this.lastId));
    });
  }

  private heard(message: FromEngine): void {
    this.heardAt = performance.now();
    switch (message.type) {
      case 'events':
        this.publisher.append(message.events);
        break;
      case 'skipped':
        this.publisher.skipTo(message.sequence);
        break;
      case 'notices':
        this.notices.append(message.notices);
        break;
      case 'notices-skipped':
        this.notices.skipTo(message.sequence);
        break;
      case 'status':
        this.current = message.status;
        break;
      case 'clock':
        this.clock.resume(message);
        break;
      case 'result':
        this.taken(message.id)?.resolve(message.result as never);
        break;
      case 'metrics':
        this.taken(message.id)?.resolve(message.metrics as never);
        break;
      case 'refused': {
        const { code, message: text, path, retryable } = message.error;
        this.taken(message.id)?.reject(new CommandError(code, text, path, retryable));
      }
    }
  }

  private taken(id: number): Waiting | undefined {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    return waiting;
  }

  private end(error: Error): void {
    this.ended = error;
    this.current = { ...this.current, role: 'stopped', problems: ['The scheduler has stopped.'] };
    for (const { reject } of this.waiting.values()) reject(unavailable());
    this.waiting.clear();
    this.publisher.close();
    this.notices.close();
  }
}

/** Whether a command that was under way has been carried out is not known. */
const unavailable = (): CommandError =>
  new CommandError(
    'UNAVAILABLE',
    'The scheduler has stopped. Try again; with an idempotency key nothing is done twice.',
    [],
    true,
  );
