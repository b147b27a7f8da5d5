/** The imperative shell around one core: the same service for the API in every role. */

import { pino } from 'pino';
import type { Instant, LeaseEventRecord } from '../core/index.ts';
import { raceAbort, sharedController, Wake } from './async.ts';
import { type Clock, SiteClock } from './clock.ts';
import { type Answer, errorOf, type Refusal, refusal, unavailable } from './commands/answer.ts';
import type { Command } from './commands/command.ts';
import type { RequestResult } from './commands/request.ts';
import type { CommandInput, CommandName, CommandResult } from './commands/table.ts';
import { schedulerWith } from './core.ts';
import { Decisions } from './decisions.ts';
import { Forwarder } from './forwarder.ts';
import { Hosts } from './hosts/hosts.ts';
import type { ActionReport } from './hosts/report.ts';
import { keepFor, watchSkew } from './housekeeping.ts';
import { Inbox } from './inbox.ts';
import { Leadership } from './leadership.ts';
import { defaultLimits, type EngineLimits } from './limits.ts';
import { type EngineReadings, noMetrics } from './metrics.ts';
import { noNotices } from './notices/notice.ts';
import type { EngineOptions } from './options.ts';
import type { CommandOptions, EngineStatus, EventPage, LeaseService, NoticeRecord } from './ports.ts';
import { noticesOf, Publisher } from './publisher.ts';
import { LeaseTraces } from './tracing.ts';

const shuttingDown = refusal('SHUTTING_DOWN', 'The server is shutting down. Try again in a moment.', {
  retryable: true,
});

/** The caller owns `store` and `adapter`: `stop()` does not close them. */
export class Engine implements LeaseService {
  private readonly clock: Clock;
  private readonly limits: EngineLimits;
  private readonly inbox: Inbox;
  private readonly publisher: Publisher<LeaseEventRecord>;
  readonly notices: Publisher<NoticeRecord>;
  private readonly decisions: Decisions;
  private readonly hosts: Hosts;
  private readonly forwarder: Forwarder;
  private readonly leadership: Leadership;
  private readonly wake = new Wake();
  private readonly stopping = sharedController();
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
    const tracing = options.tracing ?? null;
    const leaseTraces = new LeaseTraces();
    const report = (what: ActionReport): void => {
      this.inbox.addReport(what);
      this.wake.notify();
    };
    this.clock = clock;
    this.limits = limits;
    this.log = log;
    this.metrics = metrics;
    this.inbox = new Inbox(limits.maxCommandsWaiting, () => clock.monotonic());
    this.forwarder = new Forwarder({ store, clock, limits, log, signal, shuttingDown });
    this.decisions = new Decisions(clock);
    const publishing = {
      ringSize: limits.eventRing,
      pageSize: limits.eventPage,
      concurrentReads: limits.eventReaders,
      onReplayed: (count: number) => metrics.replayed(count),
      sleep: (ms: number, until: AbortSignal) => clock.sleep(ms, until),
    };
    this.publisher = new Publisher({
      store,
      noun: 'events',
      ...publishing,
      onCommitted: (events) => {
        if (events) this.decisions.committed(events);
        else this.decisions.skipped();
        options.onCommitted?.(events, this.publisher.last);
      },
    });
    this.notices = new Publisher({
      store: noticesOf(store),
      noun: 'notices',
      ...publishing,
      onCommitted: (notices) => options.onNotices?.(notices, this.notices.last),
    });
    this.hosts = new Hosts({
      ...{ adapter, clock, limits, log, metrics, report, signal, tracing, leaseTraces },
      onNodes: (nodes) => options.onNodes?.(nodes),
      onCachedImages: (images) => options.onCachedImages?.(images),
      leaseFacts: (lease) => store.leaseFacts(lease),
    });
    this.leadership = new Leadership({
      ...{ store, clock, limits, log, metrics, signal, tracing, leaseTraces },
      mayWrite: options.mayWrite ?? true,
      recovery: { store, site, scheduler, restore, log, metrics, notices: options.notices ?? noNotices },
      inbox: this.inbox,
      publisher: this.publisher,
      notices: this.notices,
      hosts: this.hosts,
      wake: this.wake,
      forward: ({ command, replyTo }) =>
        void this.forwarder.forward(command).then((answer) => {
          if ('settle' in replyTo) replyTo.settle(answer);
        }),
      refuseAll: (answer) => this.refuseAll(answer),
    });
    metrics.watch(() => this.readings());
  }

  // ---------------------------------------------------------------- LeaseService

  async submit<K extends CommandName>(
    kind: K,
    input: CommandInput<K>,
    { audit, principal, idempotencyKey = null, trace }: CommandOptions,
  ): Promise<CommandResult<K>> {
    const known = this.publisher.last;
    const answer = await this.answerTo({
      ...{ kind, input, principal: principal.name, idempotencyKey },
      ...(audit && { audit }),
      ...(trace !== undefined && { trace }),
    });
    if ('error' in answer) throw errorOf(answer);
    // The writer returns the result type of the command's kind.
    const result = answer.result as CommandResult<K>;
    const { leaseNumber, undecided } = (result ?? {}) as Partial<RequestResult>;
    if (!undecided || leaseNumber === undefined) return result;
    return (await this.isDecided(leaseNumber, known)) ? ({ leaseNumber } as CommandResult<K>) : result;
  }

  events(options: {
    readonly after?: number | null;
    readonly leaseNumber?: number | null;
    readonly signal?: AbortSignal;
  }): AsyncIterableIterator<LeaseEventRecord, undefined> {
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

  status(): EngineStatus {
    const { role, problem, epoch } = this.leadership;
    const problems = problem === null ? [] : [problem];
    if (role === 'starting' && problem === null) problems.push('The server is starting.');
    if (role === 'stopped') problems.push('The server is shutting down.');
    const { session } = this.leadership;
    const lastPass = session?.pass.last;
    const nodes = session?.core.site.nodes.length;
    return {
      ...{ role, problems, epoch },
      ...(nodes !== undefined && { nodes }),
      ...(lastPass && { lastPass }),
    };
  }

  // ---------------------------------------------------------------- start and stop

  /** Resolves once the engine serves, as writer or as standby. Throws StoreError when the database cannot be used. */
  start(): Promise<void> {
    this.started ??= this.begin();
    return this.started;
  }

  /**
   * Finishes the turn, answers waiting callers (SHUTTING_DOWN), aborts adapter calls (their actions stay recorded as
   * unfinished), ends all subscriptions and releases the writer lock. Takes about `limits.stopTimeout` at most.
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
          notices: null,
          actions: null,
          leases: null,
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
      raceAbort(work, limit.signal, () => new Error('no time left')).catch((error: unknown) =>
        this.log.warn({ err: error }, 'stopping goes on without waiting'),
      );
    await inTime(this.started?.catch(() => {}) ?? Promise.resolve());
    await inTime(this.running);
    this.leadership.role = 'stopped';
    this.refuseAll(shuttingDown);
    this.hosts.stop();
    this.publisher.close();
    this.notices.close();
    await inTime(Promise.all([this.listening?.[Symbol.asyncDispose](), this.leadership.release()]));
    limit.abort();
    this.log.info('stopped');
  }

  private giveUp(error: Error): void {
    this.log.fatal({ err: error }, 'a lease failed, and the configuration says that the scheduler stops then');
    void this.stop();
    this.options.onFatal?.(error);
  }

  // ---------------------------------------------------------------- notices

  private noticed(notice: 'events' | 'commands'): void {
    const { role, session } = this.leadership;
    if (notice === 'commands' && session) {
      this.inbox.announceForwarded();
      this.wake.notify();
    }
    if (notice === 'events' && role === 'standby') {
      Promise.all([this.publisher.catchUp(), this.notices.catchUp()]).catch((error: unknown) =>
        this.log.debug({ err: error }, 'events could not be read'),
      );
    }
  }

  /** A notification may have been lost with its connection: polls for the same information. */
  private async lookForNotices(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.clock.sleep(this.limits.noticeInterval, signal);
      if (!signal.aborted) this.noticed(this.leadership.session ? 'commands' : 'events');
    }
  }

  // ---------------------------------------------------------------- commands

  /** Never rejects. */
  private async answerTo(command: Command<CommandName>): Promise<Answer> {
    const { outage, role } = this.leadership;
    if (this.stopping.signal.aborted || role === 'stopped') return shuttingDown;
    if (outage) return unavailable('The database is out of reach.');
    if (role === 'standby') return this.forwarder.forward(command);
    return new Promise((settle) => {
      if (this.inbox.addCommand(command, settle)) this.wake.notify();
      else settle(unavailable('Too many commands are waiting.'));
    });
  }

  /** Waits for a limited time for the pass that considers a lease. `known` is the newest event before the request. */
  private async isDecided(leaseNumber: number, known: number): Promise<boolean> {
    const isDecision = ({ leaseId, from }: LeaseEventRecord): boolean => leaseId === leaseNumber && from === 'PENDING';
    if (this.publisher.hasSince(known, isDecision)) return true;
    return this.decisions.wait(leaseNumber, this.limits.decisionTimeout, this.stopping.signal);
  }

  private refuseAll(refused: Refusal): void {
    for (const { replyTo } of this.inbox.takeLocal()) if ('settle' in replyTo) replyTo.settle(refused);
  }

  /** Whether this writer has nothing to do at the present instant. */
  private isIdle(): boolean {
    const { session } = this.leadership;
    if (!session?.isWaiting || this.inbox.hasWork || session.pass.wanted(session.core)) return false;
    const due = session.core.nextInstant();
    return due === null || due > this.clock.now();
  }

  private readings(): EngineReadings {
    const { role, epoch, problems } = this.status();
    const core = this.leadership.session?.core;
    const actions = this.hosts.dispatcher.counts;
    return {
      role,
      epoch,
      ready: problems.length === 0,
      liveLeases: core?.liveLeases ?? 0,
      queueLength: core?.queueLength ?? 0,
      commandsWaiting: this.inbox.localCommands,
      idle: this.isIdle(),
      lastEventSequence: this.publisher.last,
      commitAge: this.leadership.commitAge,
      actionsOpen: actions.open,
      actionsWaiting: actions.uncalled,
      machinesWaiting: actions.waitingMachines,
      hostsUnreachable: this.hosts.unreachable,
      strayMachines: this.hosts.strayMachines,
    };
  }
}
