/** The role of this server, writer or standby, and the transitions between them. */

import type { Logger } from 'pino';
import { type Wake, withTimeout } from './async.ts';
import type { Clock } from './clock.ts';
import { type Refusal, unavailable } from './commands/answer.ts';
import { Committer } from './committer.ts';
import type { Hosts } from './hosts/hosts.ts';
import type { CommandItem, Inbox } from './inbox.ts';
import type { EngineLimits } from './limits.ts';
import type { EngineMetrics } from './metrics.ts';
import { type EngineStatus, type LeaseEventRecord, type NoticeRecord, type Store, StoreError } from './ports.ts';
import type { Publisher } from './publisher.ts';
import { Quarantine } from './quarantine.ts';
import { type Recovered, type RecoveryOptions, recover } from './recovery.ts';
import { type SessionEnd, WriterSession } from './session.ts';
import type { LeaseTraces, Tracing } from './tracing.ts';

export interface LeadershipOptions {
  readonly store: Store;
  /** Whether this process may become the writer. */
  readonly mayWrite: boolean;
  readonly recovery: RecoveryOptions;
  readonly clock: Clock;
  readonly limits: EngineLimits;
  readonly log: Logger;
  readonly metrics: EngineMetrics;
  /** Null: tracing is off. */
  readonly tracing: Tracing | null;
  readonly leaseTraces: LeaseTraces;
  readonly inbox: Inbox;
  readonly publisher: Publisher<LeaseEventRecord>;
  readonly notices: Publisher<NoticeRecord>;
  readonly hosts: Hosts;
  readonly wake: Wake;
  /** Forwards a command to the writer and answers the caller. */
  readonly forward: (item: CommandItem) => void;
  /** Refuses all waiting local commands. */
  readonly refuseAll: (refusal: Refusal) => void;
  readonly signal: AbortSignal;
}

export class Leadership {
  role: EngineStatus['role'] = 'starting';
  /** Description of the current problem. */
  problem: string | null = null;
  /** The database is unreachable: commands are refused until it is back. */
  outage = false;
  session: WriterSession | null = null;
  private committer: Committer | null = null;
  /** Leases that were quarantined at the last load of the site. */
  private readonly quarantine = new Quarantine();
  /** Whether the clock and the publisher are synchronized with the stored site. */
  private siteKnown = false;

  constructor(private readonly options: LeadershipOptions) {}

  get epoch(): number {
    return this.committer?.epoch ?? 0;
  }

  /** Duration of the current commit so far (ms); 0 when there is none. */
  get commitAge(): number {
    return this.committer?.age ?? 0;
  }

  /** Determines the first role. Throws StoreError, SchedulerError. */
  async begin(): Promise<void> {
    if (!(await this.lead())) await this.follow();
  }

  /** Alternates between writer and standby terms until the signal aborts or a fatal error occurs. Never rejects. */
  async run(): Promise<SessionEnd> {
    const { clock, limits, signal } = this.options;
    while (!signal.aborted) {
      if (this.session) {
        const end = await this.session.run();
        if (end.why === 'stopped') return end;
        await this.stepDown();
        if (end.why === 'fatal') {
          this.problem = end.error.message;
          return end;
        }
        if (end.why === 'unavailable') this.outageBegins(end.error);
      }
      try {
        // Immediately after a term, otherwise at the polling interval.
        if (await this.lead()) continue;
        await this.follow();
      } catch (error) {
        this.outageBegins(error);
      }
      await clock.sleep(limits.retryInterval, signal);
    }
    return { why: 'stopped' };
  }

  /** Releases the writer lock. */
  async release(): Promise<void> {
    await this.committer?.release();
  }

  /** Becomes the writer; returns false when another process is. Throws StoreError. */
  private async lead(): Promise<boolean> {
    const { hosts, mayWrite, recovery, store } = this.options;
    if (!mayWrite) return false;
    const writer = await store.acquireWriter();
    if (!writer) return false;
    try {
      this.become('starting');
      const log = this.options.log.child({ epoch: writer.epoch });
      log.info('this server is the writer');
      const load = async (): Promise<Recovered> => this.took(await recover(recovery, writer));
      const recovered = await load();
      const { lastCommit } = recovered;
      const committer = new Committer({ ...this.options, log }, writer, lastCommit);
      this.committer = committer;
      this.session = new WriterSession({
        ...this.options,
        log,
        committer,
        loaded: recovered,
        published: this.options.notices,
        reload: async () => {
          const again = await load();
          hosts.reloaded(again);
          return again;
        },
        quarantine: this.quarantine,
        problem: (what) => {
          if (what === null) this.serves();
          else this.problem = what;
        },
      });
      this.become('writer');
      const lease = (id: number) => this.session?.core.lease(id) ?? null;
      hosts.begin(recovered, { lease, isQuarantined: (id) => this.quarantine.has(id) }, log);
      return true;
    } catch (error) {
      await writer.release().catch(() => {});
      throw error;
    }
  }

  private took(recovered: Recovered): Recovered {
    const { clock, notices, publisher } = this.options;
    clock.resume({ origin: recovered.createdAt, floor: recovered.happened });
    publisher.skipTo(recovered.lastEventSequence);
    notices.skipTo(recovered.lastNoticeSequence);
    this.siteKnown = true;
    this.quarantine.replace(recovered.quarantined);
    return recovered;
  }

  /** Serves events from the database and forwards commands, while another process writes. Throws StoreError. */
  private async follow(): Promise<void> {
    const { clock, forward, inbox, log, notices, publisher, store } = this.options;
    if (!this.siteKnown) {
      const stored = await store.load();
      if (stored) {
        clock.resume({ origin: stored.createdAt, floor: Number.NEGATIVE_INFINITY });
        publisher.skipTo(stored.snapshot.site.lastEventSequence);
        notices.skipTo(stored.notices.last);
        this.siteKnown = true;
      }
    }
    if (this.role !== 'standby') log.info('another process is the writer; this server is a standby');
    this.become('standby');
    await Promise.all([publisher.catchUp(), notices.catchUp()]);
    this.serves();
    // Commands that arrived before the writer was known.
    for (const item of inbox.takeLocal()) forward(item);
  }

  private async stepDown(): Promise<void> {
    const { clock, hosts, inbox, limits } = this.options;
    const { committer } = this;
    this.session = null;
    this.committer = null;
    this.become('starting');
    hosts.end();
    inbox.endTerm();
    await withTimeout(() => Promise.resolve(committer?.release()), {
      clock,
      duration: limits.retryInterval,
      reason: () => new Error('no answer'),
    }).catch(() => {});
  }

  /** After the engine stops, its own message takes precedence. */
  private become(role: EngineStatus['role']): void {
    if (!this.options.signal.aborted) this.role = role;
  }

  private outageBegins(error: unknown): void {
    const { log, refuseAll } = this.options;
    const message = error instanceof Error ? error.message : String(error);
    const reachable = !(error instanceof StoreError) || error.kind === 'PERMANENT';
    const what = reachable ? 'The site cannot be loaded from the database' : 'The database is out of reach';
    if (!this.outage) log.error({ err: error }, `${what}; commands are refused until it is back`);
    this.outage = true;
    this.problem = `${what}: ${message}`;
    refuseAll(unavailable(`${what}.`));
  }

  private serves(): void {
    if (this.outage) this.options.log.info('the database is back');
    this.outage = false;
    this.problem = null;
  }
}
