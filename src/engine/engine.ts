/** The imperative shell round one core: finds its role, and offers the API the same service in each. */
import { type Logger, pino } from 'pino';
import {
  type Instant,
  type LeaseEventRecord,
  type LeaseRequest,
  type Millis,
  type Policies,
  Scheduler,
  type SchedulerConfig,
  type SiteSpec,
} from '../core/index.ts';
import { type Clock, SiteClock } from './clock.ts';
import {
  type Answer,
  type CommandInput,
  CommandQueue,
  errorOf,
  isAnswer,
  localCommand,
  refusal,
  settle,
  unavailable,
} from './commands.ts';
import { Committer } from './committer.ts';
import type { RestoreCore } from './core.ts';
import { type ActionReport, Dispatcher } from './dispatcher.ts';
import { keepEventsFor, watchSkew } from './housekeeping.ts';
import { defaultLimits, type EngineLimits } from './limits.ts';
import { type EngineMetrics, type EngineReadings, noMetrics } from './metrics.ts';
import {
  type Adapter,
  CommandError,
  type EngineStatus,
  type LeaseService,
  type RequestOptions,
  type Store,
  StoreError,
} from './ports.ts';
import { Publisher } from './publisher.ts';
import { type RecoveryOptions, recover } from './recovery.ts';
import { WriterSession } from './session.ts';
import { linkedController, orAborted, Wake, widelyHeard } from './wake.ts';

export interface EngineOptions {
  readonly store: Store;
  readonly adapter: Adapter;
  /** Written to the database when it holds no site yet. */
  readonly site: { readonly name: string; readonly spec: SiteSpec };
  readonly scheduler: SchedulerConfig;
  readonly policies?: Partial<Policies>;
  /** Builds the core. Default: the scheduler, with these policies. */
  readonly restore?: RestoreCore;
  /** Default: the wall clock. */
  readonly clock?: Clock;
  readonly log?: Logger;
  readonly metrics?: EngineMetrics;
  readonly limits?: Partial<EngineLimits>;
  /** Scheduler time for which events are kept; absent: for ever. */
  readonly eventRetention?: Millis | null;
  /** The engine has stopped by itself: a lease failed and the configuration says that the scheduler stops then. */
  readonly onFatal?: (error: Error) => void;
}

/**
 * `store` and `adapter` belong to whoever made them: `stop()` does not close them.
 */
export class Engine implements LeaseService {
  private readonly clock: Clock;
  private readonly limits: EngineLimits;
  private readonly log: Logger;
  private readonly metrics: EngineMetrics;
  private readonly queue: CommandQueue;
  private readonly reports: ActionReport[] = [];
  private readonly publisher: Publisher;
  private readonly dispatcher: Dispatcher;
  private readonly wake = new Wake();
  private readonly stopping = widelyHeard();
  private readonly recovery: RecoveryOptions;
  private role: EngineStatus['role'] = 'starting';
  private problem: string | null = null;
  /** The database was found out of reach: commands are refused until it is back. */
  private outage = false;
  /** The clock and the publisher are where the stored site is. */
  private siteKnown = false;
  private committer: Committer | null = null;
  private session: WriterSession | null = null;
  private listening: AsyncDisposable | null = null;
  private started: Promise<void> | null = null;
  private stopped: Promise<void> | null = null;
  private running: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: EngineOptions) {
    const { store, adapter } = options;
    this.clock = options.clock ?? new SiteClock();
    this.limits = { ...defaultLimits, ...options.limits };
    this.log = (options.log ?? pino({ level: 'silent' })).child({ component: 'engine' });
    this.metrics = options.metrics ?? noMetrics;
    this.queue = new CommandQueue(this.limits.commandsWaiting);
    this.publisher = new Publisher({
      store,
      ringSize: this.limits.eventRing,
      pageSize: this.limits.eventPage,
      concurrentReads: this.limits.eventReaders,
      onReplayed: (count) => this.metrics.replayed(count),
      sleep: (ms, signal) => this.clock.sleep(ms, signal),
    });
    this.dispatcher = new Dispatcher({
      adapter,
      clock: this.clock,
      limits: this.limits.dispatch,
      log: this.log.child({ component: 'dispatcher', adapter: adapter.name }),
      metrics: this.metrics,
      report: (report) => {
        this.reports.push(report);
        this.wake.notify();
      },
    });
    const { site, scheduler, policies } = options;
    const restore: RestoreCore =
      options.restore ?? ((spec, config, snapshot) => Scheduler.restore(spec, config, snapshot, policies));
    this.recovery = { store, site, scheduler, restore, log: this.log, metrics: this.metrics };
    this.metrics.watch(() => this.readings());
  }

  // ---------------------------------------------------------------- LeaseService

  async requestLease(
    request: LeaseRequest,
    options: RequestOptions,
  ): Promise<{ readonly leaseNumber: number }> {
    const leaseNumber = await this.submit({
      kind: 'request',
      request,
      principal: options.principal.name,
      idempotencyKey: options.idempotencyKey ?? null,
    });
    return { leaseNumber };
  }

  async cancelLease(leaseNumber: number, options: Pick<RequestOptions, 'principal'>): Promise<void> {
    await this.submit({ kind: 'cancel', leaseNumber, principal: options.principal.name });
  }

  events(options: {
    readonly after?: number | null;
    readonly leaseNumber?: number | null;
    readonly signal?: AbortSignal;
  }): AsyncIterableIterator<LeaseEventRecord, undefined> {
    return this.publisher.subscribe(options);
  }

  now(): Instant {
    return this.clock.now();
  }

  status(): EngineStatus {
    const problems = this.problem === null ? [] : [this.problem];
    if (this.role === 'starting' && problems.length === 0) problems.push('The server is starting.');
    if (this.role === 'stopped') problems.push('The server is shutting down.');
    return { role: this.role, problems, epoch: this.committer?.epoch ?? 0 };
  }

  // ---------------------------------------------------------------- start and stop

  /** Resolves once the engine serves, as writer or as standby. Throws StoreError when the database cannot be used. */
  start(): Promise<void> {
    this.started ??= this.begin();
    return this.started;
  }

  /**
   * Finishes the turn, answers who waits (SHUTTING_DOWN), aborts the adapters' calls (their actions stay recorded as unfinished), ends all
   * subscriptions and gives the right to write back. Takes no longer than `limits.stopTimeout` or so.
   */
  stop(): Promise<void> {
    this.stopped ??= this.end();
    return this.stopped;
  }

  private async begin(): Promise<void> {
    try {
      this.listening = await this.options.store.listen((notice) => this.noticed(notice));
      if (!(await this.lead())) await this.follow();
    } catch (error) {
      await this.listening?.[Symbol.asyncDispose]();
      this.listening = null;
      this.role = 'stopped';
      throw error;
    }
    const housekeeping = {
      store: this.options.store,
      clock: this.clock,
      limits: this.limits,
      log: this.log,
      metrics: this.metrics,
      signal: this.stopping.signal,
    };
    const { eventRetention } = this.options;
    this.running = Promise.all([
      this.run(),
      this.lookForNotices(),
      watchSkew(housekeeping),
      eventRetention ? keepEventsFor(eventRetention, () => this.role === 'writer', housekeeping) : null,
    ]);
  }

  private async end(): Promise<void> {
    this.log.info('stopping');
    this.stopping.abort();
    await this.started?.catch(() => {});
    const limit = new AbortController();
    void this.clock.sleep(this.limits.stopTimeout, limit.signal).then(() => limit.abort());
    const inTime = (work: Promise<unknown>): Promise<unknown> =>
      orAborted(work, limit.signal, () => new Error('no time left')).catch((error: unknown) =>
        this.log.warn({ err: error }, 'stopping goes on without waiting'),
      );
    await inTime(this.running);
    this.role = 'stopped';
    this.refuseAll(shuttingDown);
    this.dispatcher.stop();
    this.publisher.close();
    await inTime(Promise.all([this.listening?.[Symbol.asyncDispose](), this.committer?.release()]));
    limit.abort();
    this.log.info('stopped');
  }

  // ---------------------------------------------------------------- roles

  /** Terms as the writer, and the times between them, until the engine stops. */
  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const { session } = this;
      if (session) {
        const end = await session.run();
        if (end.why === 'stopped') return;
        await this.stepDown();
        if (end.why === 'fatal') return this.giveUp(end.error);
        if (end.why === 'unavailable') this.outageBegins(end.error);
      }
      try {
        // After losing the lock at once, else when it is time to look again.
        if (!(await this.lead())) {
          await this.follow();
          await this.clock.sleep(this.limits.retryInterval, signal);
        }
      } catch (error) {
        this.outageBegins(error);
        await this.clock.sleep(this.limits.retryInterval, signal);
      }
    }
  }

  /** Becomes the writer; false when another process is. Throws StoreError. */
  private async lead(): Promise<boolean> {
    const { store } = this.options;
    const writer = await store.acquireWriter();
    if (!writer) return false;
    try {
      this.log.info({ epoch: writer.epoch }, 'this server is the writer');
      if (this.role !== 'writer') this.role = 'starting';
      const { core, lastCommit } = await this.load(() => recover(this.recovery, writer));
      const { clock, limits, metrics } = this;
      const log = this.log.child({ epoch: writer.epoch });
      const { signal } = this.stopping;
      const committer = new Committer({ store, clock, log, metrics, limits, signal }, writer, lastCommit);
      this.committer = committer;
      this.session = new WriterSession({
        store,
        committer,
        core,
        clock,
        limits,
        log,
        metrics,
        signal,
        queue: this.queue,
        reports: this.reports,
        publisher: this.publisher,
        dispatcher: this.dispatcher,
        wake: this.wake,
        reload: async () => (await this.load(() => recover(this.recovery, writer))).core,
        problem: (what) => {
          this.problem = what;
        },
      });
    } catch (error) {
      await writer.release().catch(() => {});
      throw error;
    }
    this.role = 'writer';
    this.serves();
    return true;
  }

  private async load<T extends Awaited<ReturnType<typeof recover>>>(read: () => Promise<T>): Promise<T> {
    const recovered = await read();
    this.clock.resume({ origin: recovered.createdAt, floor: recovered.happened });
    this.publisher.skipTo(recovered.lastEventSequence);
    this.dispatcher.add(recovered.pendingActions);
    this.siteKnown = true;
    return recovered;
  }

  /** Serves events from the database and passes commands on, while another process writes. Throws StoreError. */
  private async follow(): Promise<void> {
    if (!this.siteKnown) {
      const stored = await this.options.store.load();
      if (stored) {
        this.clock.resume({ origin: stored.createdAt, floor: Number.NEGATIVE_INFINITY });
        this.publisher.skipTo(stored.snapshot.site.lastEventSequence);
        this.siteKnown = true;
      }
    }
    if (this.role !== 'standby') this.log.info('another process is the writer; this server is a standby');
    this.role = 'standby';
    await this.publisher.catchUp();
    this.serves();
    // What came while nobody knew who would be the writer.
    for (const command of this.queue.take(Number.POSITIVE_INFINITY)) {
      void this.forward(command.input).then((answer) => settle(command, answer));
    }
  }

  private async stepDown(): Promise<void> {
    const { committer } = this;
    this.session = null;
    this.committer = null;
    this.role = 'starting';
    // Another process may dispatch these actions from now on.
    this.dispatcher.reset();
    this.reports.length = 0;
    const limit = new AbortController();
    void this.clock.sleep(this.limits.retryInterval, limit.signal).then(() => limit.abort());
    await orAborted(Promise.resolve(committer?.release()), limit.signal, () => new Error('no answer')).catch(
      () => {},
    );
    limit.abort();
  }

  private outageBegins(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    const what =
      error instanceof StoreError && error.kind !== 'PERMANENT'
        ? 'The database is out of reach'
        : 'The site cannot be loaded from the database';
    if (!this.outage) this.log.error({ err: error }, `${what}; commands are refused until it is back`);
    this.outage = true;
    this.problem = `${what}: ${message}`;
    this.refuseAll(unavailable(`${what}.`));
  }

  private serves(): void {
    if (this.outage) this.log.info('the database is back');
    this.outage = false;
    this.problem = null;
  }

  private giveUp(error: Error): void {
    this.log.fatal(
      { err: error },
      'a lease failed, and the configuration says that the scheduler stops then',
    );
    this.problem = error.message;
    this.options.onFatal?.(error);
    void this.stop();
  }

  // ---------------------------------------------------------------- notices

  private noticed(notice: 'events' | 'commands'): void {
    if (notice === 'commands' && this.session) {
      this.session.mailbox.waiting = true;
      this.wake.notify();
    }
    if (notice === 'events' && this.role === 'standby') {
      this.publisher
        .catchUp()
        .catch((error: unknown) => this.log.debug({ err: error }, 'events could not be read'));
    }
  }

  /** A notice may have been lost with its connection: looks for what it would have told, now and then. */
  private async lookForNotices(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.clock.sleep(this.limits.noticeInterval, signal);
      if (!signal.aborted) this.noticed(this.session ? 'commands' : 'events');
    }
  }

  // ---------------------------------------------------------------- commands

  private async submit(input: CommandInput): Promise<number> {
    if (this.stopping.signal.aborted || this.role === 'stopped') throw thrown(shuttingDown);
    if (this.outage) throw thrown(unavailable('The database is out of reach.'));
    if (this.role === 'standby') {
      const answer = await this.forward(input);
      if ('error' in answer) throw errorOf(answer.error);
      return answer.leaseNumber;
    }
    const { command, answered } = localCommand(input);
    if (!this.queue.add(command)) throw thrown(unavailable('Too many commands are waiting.'));
    this.wake.notify();
    return answered;
  }

  /** Has the writer carry the command out. Never rejects. */
  private async forward(input: CommandInput): Promise<Answer> {
    using limit = linkedController(this.stopping.signal);
    const timer = new AbortController();
    void this.clock.sleep(this.limits.forwardTimeout, timer.signal).then(() => limit.abort());
    try {
      const gone = (): Error => new Error('the writer did not answer');
      const answer = await orAborted(this.options.store.forward(input, limit.signal), limit.signal, gone);
      if (isAnswer(answer)) return answer;
      return unavailable('The writer gave no answer that is understood.');
    } catch (error) {
      if (this.stopping.signal.aborted) return shuttingDown;
      this.log.warn({ err: error }, 'a command could not be passed on to the writer');
      return unavailable('The command could not be passed on to the writer.');
    } finally {
      timer.abort();
    }
  }

  private refuseAll(answer: Answer): void {
    for (const command of this.queue.take(Number.POSITIVE_INFINITY)) settle(command, answer);
  }

  private readings(): EngineReadings {
    const { role, epoch, problems } = this.status();
    return {
      role,
      epoch,
      ready: problems.length === 0,
      liveLeases: this.session?.core.liveLeases ?? 0,
      queueLength: this.session?.core.queueLength ?? 0,
      commandsWaiting: this.queue.length,
      lastEventSequence: this.publisher.last,
      subscribers: this.publisher.subscribers,
      subscriberLag: this.publisher.lag,
      actionsOpen: this.dispatcher.open,
    };
  }
}

const shuttingDown = refusal('SHUTTING_DOWN', 'The server is shutting down. Try again in a moment.', {
  retryable: true,
});

const thrown = (answer: Answer): CommandError =>
  'error' in answer ? errorOf(answer.error) : new CommandError('INTERNAL', 'not an error');
