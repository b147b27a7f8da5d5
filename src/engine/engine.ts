/** The imperative shell round one core: the same service for the API, whichever role this server has. */
import { pino } from 'pino';
import type { Instant, LeaseEventRecord, LeaseRequest } from '../core/index.ts';
import { type Clock, SiteClock } from './clock.ts';
import {
  type Answer,
  type CommandInput,
  CommandQueue,
  errorOf,
  localCommand,
  refusal,
  settle,
  unavailable,
} from './commands.ts';
import { schedulerWith } from './core.ts';
import { type ActionReport, Dispatcher } from './dispatcher.ts';
import { Forwarder } from './forwarder.ts';
import { keepFor, watchSkew } from './housekeeping.ts';
import { Leadership } from './leadership.ts';
import { defaultLimits, type EngineLimits } from './limits.ts';
import { type EngineReadings, noMetrics } from './metrics.ts';
import type { EngineOptions } from './options.ts';
import type { EngineStatus, LeaseService, RequestOptions } from './ports.ts';
import { Publisher } from './publisher.ts';
import { orAborted, Wake, widelyHeard } from './wake.ts';

const shuttingDown = refusal('SHUTTING_DOWN', 'The server is shutting down. Try again in a moment.', {
  retryable: true,
});

/** `store` and `adapter` belong to whoever made them: `stop()` does not close them. */
export class Engine implements LeaseService {
  private readonly clock: Clock;
  private readonly limits: EngineLimits;
  private readonly queue: CommandQueue;
  private readonly publisher: Publisher;
  private readonly dispatcher: Dispatcher;
  private readonly forwarder: Forwarder;
  private readonly leadership: Leadership;
  private readonly wake = new Wake();
  private readonly stopping = widelyHeard();
  private readonly log;
  private readonly metrics;
  private listening: AsyncDisposable | null = null;
  private started: Promise<void> | null = null;
  private stopped: Promise<void> | null = null;
  private running: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: EngineOptions) {
    const { store, adapter, site, scheduler, policies } = options;
    const { signal } = this.stopping;
    const restore = options.restore ?? schedulerWith(policies);
    const clock = options.clock ?? new SiteClock();
    const limits = { ...defaultLimits, ...options.limits };
    const log = (options.log ?? pino({ level: 'silent' })).child({ component: 'engine' });
    const metrics = options.metrics ?? noMetrics;
    const reports: ActionReport[] = [];
    this.clock = clock;
    this.limits = limits;
    this.log = log;
    this.metrics = metrics;
    this.queue = new CommandQueue(limits.commandsWaiting);
    this.forwarder = new Forwarder({ store, clock, limits, log, signal, shuttingDown });
    this.publisher = new Publisher({
      store,
      ringSize: limits.eventRing,
      pageSize: limits.eventPage,
      concurrentReads: limits.eventReaders,
      onReplayed: (count) => metrics.replayed(count),
      sleep: (ms, until) => clock.sleep(ms, until),
    });
    this.dispatcher = new Dispatcher({
      adapter,
      clock,
      limits: limits.dispatch,
      log: log.child({ adapter: adapter.name }),
      metrics,
      report: (report) => {
        reports.push(report);
        this.wake.notify();
      },
    });
    this.leadership = new Leadership({
      ...{ store, clock, limits, log, metrics, reports, adapter, signal },
      recovery: { store, site, scheduler, restore, log, metrics },
      queue: this.queue,
      publisher: this.publisher,
      dispatcher: this.dispatcher,
      wake: this.wake,
      forward: (command) =>
        void this.forwarder.forward(command.input).then((answer) => settle(command, answer)),
      refuseAll: (answer) => this.refuseAll(answer),
    });
    metrics.watch(() => this.readings());
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
    const { role, problem, epoch } = this.leadership;
    const problems = problem === null ? [] : [problem];
    if (role === 'starting' && problem === null) problems.push('The server is starting.');
    if (role === 'stopped') problems.push('The server is shutting down.');
    return { role, problems, epoch };
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
    const { clock, leadership, limits, log, metrics } = this;
    const { retention, store } = this.options;
    try {
      this.listening = await store.listen((notice) => this.noticed(notice));
      await leadership.begin();
    } catch (error) {
      await this.listening?.[Symbol.asyncDispose]();
      this.listening = null;
      leadership.role = 'stopped';
      throw error;
    }
    const housekeeping = { store, clock, limits, log, metrics, signal: this.stopping.signal };
    this.running = Promise.all([
      leadership.run().then((end) => {
        if (end.why === 'fatal') this.giveUp(end.error);
      }),
      this.lookForNotices(),
      watchSkew(housekeeping),
      keepFor(
        {
          events: null,
          actions: null,
          idempotencyKeys: null,
          ...retention,
          commands: limits.commandRetention,
        },
        () => leadership.role === 'writer',
        housekeeping,
      ),
    ]);
  }

  private async end(): Promise<void> {
    this.log.info('stopping');
    this.stopping.abort();
    const limit = new AbortController();
    void this.clock.sleep(this.limits.stopTimeout, limit.signal).then(() => limit.abort());
    const inTime = (work: Promise<unknown>): Promise<unknown> =>
      orAborted(work, limit.signal, () => new Error('no time left')).catch((error: unknown) =>
        this.log.warn({ err: error }, 'stopping goes on without waiting'),
      );
    await inTime(this.started?.catch(() => {}) ?? Promise.resolve());
    await inTime(this.running);
    this.leadership.role = 'stopped';
    this.refuseAll(shuttingDown);
    this.dispatcher.stop();
    this.publisher.close();
    await inTime(Promise.all([this.listening?.[Symbol.asyncDispose](), this.leadership.release()]));
    limit.abort();
    this.log.info('stopped');
  }

  private giveUp(error: Error): void {
    this.log.fatal(
      { err: error },
      'a lease failed, and the configuration says that the scheduler stops then',
    );
    void this.stop();
    this.options.onFatal?.(error);
  }

  // ---------------------------------------------------------------- notices

  private noticed(notice: 'events' | 'commands'): void {
    const { role, session } = this.leadership;
    if (notice === 'commands' && session) {
      session.mailbox.waiting = true;
      this.wake.notify();
    }
    if (notice === 'events' && role === 'standby') {
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
      if (!signal.aborted) this.noticed(this.leadership.session ? 'commands' : 'events');
    }
  }

  // ---------------------------------------------------------------- commands

  private async submit(input: CommandInput): Promise<number> {
    const { outage, role } = this.leadership;
    let refused: Answer | null = null;
    if (this.stopping.signal.aborted || role === 'stopped') refused = shuttingDown;
    else if (outage) refused = unavailable('The database is out of reach.');
    else if (role === 'standby') refused = await this.forwarder.forward(input);
    if (refused && 'error' in refused) throw errorOf(refused.error);
    if (refused) return refused.leaseNumber;

    const { command, answered } = localCommand(input);
    if (this.queue.add(command)) this.wake.notify();
    else settle(command, unavailable('Too many commands are waiting.'));
    return answered;
  }

  private refuseAll(answer: Answer): void {
    for (const command of this.queue.take(Number.POSITIVE_INFINITY)) settle(command, answer);
  }

  private readings(): EngineReadings {
    const { role, epoch, problems } = this.status();
    const core = this.leadership.session?.core;
    return {
      role,
      epoch,
      ready: problems.length === 0,
      liveLeases: core?.liveLeases ?? 0,
      queueLength: core?.queueLength ?? 0,
      commandsWaiting: this.queue.length,
      lastEventSequence: this.publisher.last,
      subscribers: this.publisher.subscribers,
      subscriberLag: this.publisher.lag,
      actionsOpen: this.dispatcher.open,
    };
  }
}
