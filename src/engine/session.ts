/**
 * One writer term: runs turns until the engine stops or the writer lock is lost. A turn applies waiting items
 * (commands, reports from hosts, due events) to the core, writes all changes in one transaction, and only then answers
 * callers, publishes events and dispatches actions. Turns never overlap: the inbox collects items for the next.
 */
import type { Logger } from 'pino';
import type { Instant, LeaseEventRecord } from '../core/index.ts';
import { backoff, linkedController, type Wake, yieldToEventLoop } from './async.ts';
import { auditRecordsOf } from './audit.ts';
import type { Clock } from './clock.ts';
import { internalRefusal, type Refusal, unavailable } from './commands/answer.ts';
import { keyOf } from './commands/idempotency.ts';
import type { BatchContent, Committer } from './committer.ts';
import type { Core } from './core.ts';
import type { Hosts } from './hosts/hosts.ts';
import type { Inbox, Item } from './inbox.ts';
import type { EngineLimits } from './limits.ts';
import type { EngineMetrics } from './metrics.ts';
import type { Notices } from './notices/notices.ts';
import { PassRunner } from './pass.ts';
import { type IdempotencyRecord, type NoticeRecord, type Store, StoreError } from './ports.ts';
import type { Publisher } from './publisher.ts';
import type { Quarantine } from './quarantine.ts';
import type { Recovered } from './recovery.ts';
import { OccurrenceMaker } from './recurrences/maker.ts';
import { type LeaseTraces, type Tracing, traceTime } from './tracing.ts';
import {
  type AppliedItems,
  advance,
  applyItems,
  CoreFailure,
  carryOutDue,
  concludeAnswers,
  type GivenAnswer,
  guarded,
  type ItemContext,
  isEmpty,
  isFatal,
  logEvents,
} from './turn.ts';
import { type TurnTimes, traceAnswers } from './turn-traces.ts';

export interface SessionOptions {
  readonly store: Store;
  readonly committer: Committer;
  readonly loaded: Recovered;
  /** Reloads the site. Throws StoreError. */
  readonly reload: () => Promise<Recovered>;
  readonly quarantine: Quarantine;
  readonly clock: Clock;
  readonly limits: EngineLimits;
  readonly log: Logger;
  readonly metrics: EngineMetrics;
  /** Null: tracing is off. */
  readonly tracing: Tracing | null;
  readonly leaseTraces: LeaseTraces;
  readonly inbox: Inbox;
  readonly publisher: Publisher<LeaseEventRecord>;
  /** Publishes committed notices. */
  readonly published: Publisher<NoticeRecord>;
  readonly hosts: Hosts;
  /** Wakes the session for a command, a report or a notification. */
  readonly wake: Wake;
  /** Reports a problem, or null when it is resolved. */
  readonly problem: (what: string | null) => void;
  readonly signal: AbortSignal;
}

/**
 * Why a term ended. `fenced`: another process is the writer. `unavailable`: the database is unreachable. `fatal`: the
 * engine must not continue.
 */
export type SessionEnd =
  | { readonly why: 'stopped' | 'fenced' }
  | { readonly why: 'unavailable' | 'fatal'; readonly error: Error };

/** Propagates the end of the term to `run`. */
class TermOver extends Error {
  constructor(readonly end: SessionEnd) {
    super(`the term is over: ${end.why}`);
  }
}

export class WriterSession {
  core: Core;
  private notices: Notices;
  readonly pass: PassRunner;
  private readonly context: ItemContext;
  private readonly occurrences: OccurrenceMaker;
  private lastTurn: Instant = Number.NEGATIVE_INFINITY;
  /** Whether it waits for the next instant, command or report. */
  isWaiting = false;

  constructor(private readonly options: SessionOptions) {
    ({ core: this.core, notices: this.notices } = options.loaded);
    const { clock, hosts, limits, log, metrics, quarantine } = options;
    this.pass = new PassRunner(clock, limits, metrics);
    this.occurrences = new OccurrenceMaker(limits.recurrences, log);
    const { moveOnStartFailure, dispatch, recurrences } = limits;
    this.context = {
      tools: { hosts, quarantine, recurrences },
      reports: { moveOnStartFailure, lateness: dispatch.lateness * clock.speed },
    };
  }

  async run(): Promise<SessionEnd> {
    const { signal } = this.options;
    try {
      // The first turn runs at once and catches up with events that became due since the last commit.
      for (let first = true; ; first = false) {
        if (!first) await this.idle();
        if (signal.aborted) return { why: 'stopped' };
        await this.turn();
        await yieldToEventLoop();
      }
    } catch (error) {
      if (error instanceof TermOver) return error.end;
      throw error;
    }
  }

  /** Waits for work. */
  private async idle(): Promise<void> {
    const { clock, committer, inbox, signal, wake } = this.options;
    if (inbox.hasWork || this.pass.wanted(this.core)) return;
    const next = this.nextWork();
    if (next !== null && next <= clock.now()) return;
    using waiting = linkedController(signal, committer.lost);
    if (next !== null) void clock.until(next, waiting.signal).then(() => waiting.abort());
    this.isWaiting = true;
    await wake.wait(waiting.signal);
    this.isWaiting = false;
    waiting.abort();
  }

  private nextWork(): Instant | null {
    const { clock, limits, log } = this.options;
    let due = this.core.nextInstant();
    if (due !== null && due <= this.lastTurn) {
      log.error({ due, lastTurn: this.lastTurn }, 'the core did not carry out what was due');
      due = clock.now() + limits.passInterval;
    }
    const { core, notices, occurrences, pass } = this;
    const times = [due, pass.retryAt(core), occurrences.nextDue(core), notices.next()];
    return times.reduce((first, at) => (first === null || at === null ? (first ?? at) : Math.min(first, at)));
  }

  // ---------------------------------------------------------------- turns

  private async turn(): Promise<void> {
    const { clock, committer, inbox, limits, metrics, store } = this.options;
    let items: readonly Item[] = [];
    try {
      if (committer.lost.aborted) await committer.recover();
      const behind = carryOutDue(this.core, clock.now(), limits.rowsPerTurn, this.options.hosts);
      if (behind !== null) return await this.write([], behind);
      await inbox.collect(limits.commandsPerTurn, (limit) =>
        committer.persist('reading forwarded commands', () => store.forwarded(limit)),
      );
      items = inbox.take(limits.commandsPerTurn, limits.rowsPerTurn);
      for (const item of items) if (item.type === 'command') metrics.commandWaited(inbox.ageOf(item) / 1_000);
      await this.write(items, null, true);
    } catch (error) {
      await this.recover(error, items);
    }
  }

  /**
   * Applies the items to the core at the current instant or at `behind`, and writes the changes. Throws CoreFailure,
   * StoreError.
   */
  private async write(items: readonly Item[], behind: Instant | null, withPass = false): Promise<void> {
    const { core, pass } = this;
    const { clock, committer, limits, quarantine } = this.options;
    const taken = traceTime();
    const known = await this.remembered(items);
    const now = behind ?? clock.now();
    advance(core, now, this.options.hosts);
    if (withPass) this.occurrences.makeDue(core, now, limits.rowsPerTurn);
    const applied = applyItems(core, now, items, known, this.context);
    if (withPass) {
      await pass.slices(core, now, applied.answers.length > 0, () => this.interrupted(now));
    }
    advance(core, now, this.options.hosts);
    const answers = guarded('the answers', () => concludeAnswers(core, applied.answers));
    const rows = core.changedRows;
    const changes = guarded('taking changes', () => core.takeChanges());
    const { notices, givenUntil } = guarded('notices', () =>
      this.notices.take(now, changes, (lease) => quarantine.remainsOf(lease)?.project ?? null),
    );
    const content: BatchContent = {
      changes,
      notices,
      noticesGivenUntil: givenUntil,
      idempotency: applied.idempotency,
      audit: auditRecordsOf(answers),
      outcomes: applied.reports.flatMap(({ outcome }) => outcome ?? []),
      answers: answers.flatMap(({ item: { replyTo }, answer }) =>
        'forwarded' in replyTo ? [{ commandId: replyTo.forwarded, answer }] : [],
      ),
    };
    let commit: TurnTimes['commit'] = null;
    if (!isEmpty(content)) {
      const begun = clock.monotonic();
      const begunAt = traceTime();
      await committer.commit(content, rows);
      pass.written(rows, clock.monotonic() - begun);
      commit = { begun: begunAt, ended: traceTime(), rows };
    } else {
      // A refusal or an answer to a repeated command must be based on the newest state.
      if (answers.length > 0) await committer.confirm();
      // A pass that changes nothing although work remains must not keep the engine busy.
      if (withPass && pass.wanted(core) && pass.inVain) pass.postpone(limits.passInterval);
    }
    this.lastTurn = now;
    traceAnswers(answers, { taken, commit }, this.options);
    this.committed({ ...applied, answers }, content);
  }

  /** The turn is committed: publish its effects. */
  private committed({ answers, reports }: AppliedItems, { changes, notices }: BatchContent): void {
    const { hosts, metrics, problem, published, publisher } = this.options;
    for (const given of answers) this.answer(given);
    publisher.append(changes.events);
    metrics.events(changes.events.length);
    published.append(notices);
    for (const { kind } of notices) metrics.notice(kind);
    logEvents(this.options.log, changes.events);
    hosts.committed(changes, reports);
    problem(this.core.needsPass ? this.pass.trouble : null);
  }

  /**
   * Whether the pass should end the turn, because a command waits or an event is due. (Reports from hosts can wait.)
   */
  private interrupted(now: Instant): boolean {
    const { clock, inbox, signal } = this.options;
    if (inbox.hasCommands || signal.aborted) return true;
    const next = this.core.nextInstant();
    return next !== null && next > now && next <= clock.now();
  }

  private async remembered(items: readonly Item[]): Promise<readonly IdempotencyRecord[]> {
    const { committer, quarantine, store } = this.options;
    if (quarantine.concernedBy(items).length > 0)
      await committer.persist('reading unsound leases', () => quarantine.lookUp(items, store));
    const keys = items.flatMap((item) => (item.type === 'command' ? (keyOf(item.command) ?? []) : []));
    if (keys.length === 0) return [];
    return committer.persist('looking up idempotency keys', () => store.idempotency(keys));
  }

  private answer({ item, answer }: GivenAnswer): void {
    const kind = item.type === 'command' ? item.command.kind : 'unknown';
    this.options.metrics.commands(kind, 'error' in answer ? 'refused' : 'accepted');
    if ('settle' in item.replyTo) item.replyTo.settle(answer);
  }

  // ---------------------------------------------------------------- turns that failed

  /** Nothing of the turn was written. Returns when the next turn may begin; throws TermOver when there is none. */
  private async recover(error: unknown, items: readonly Item[]): Promise<void> {
    const { inbox, log, problem } = this.options;
    this.assertTermGoesOn(error, items);
    log.error({ err: error, items: items.length }, 'a turn failed; the core is loaded again');
    const failed = error instanceof CoreFailure ? error : null;
    inbox.putBack(failed?.item ? items.filter((item) => item !== failed.item) : items);
    if (failed?.item) this.dismiss(failed.item, failed);
    // What the core does by itself is the fault of no command; and neither is a pass that cannot be written.
    if (failed ? failed.during === 'a pass' : items.length === 0) {
      this.pass.failed(messageOf(error));
      problem(this.pass.trouble);
    }
    await this.reload();
    await this.catchUp();
    if (failed || items.length === 0 || (await this.oneByOne(items.length))) return;
    // Each of them could be written: it was what the pass added.
    this.pass.failed(messageOf(error));
    problem(this.pass.trouble);
  }

  /** Writes what is due, without any items: tried again and again until it succeeds. */
  private async catchUp(): Promise<void> {
    const { clock, inbox, limits, log, problem, signal } = this.options;
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      try {
        let behind: Instant | null;
        do {
          behind = carryOutDue(this.core, clock.now(), limits.rowsPerTurn, this.options.hosts);
          await this.write([], behind);
        } while (behind !== null);
        return;
      } catch (error) {
        this.assertTermGoesOn(error, []);
        log.error({ err: error, attempt }, 'what is due cannot be carried out');
        if (attempt > 1) problem(`The scheduler cannot go on: ${messageOf(error)}`);
        if (attempt > 2) {
          this.refuseLocal([], unavailable('The scheduler cannot go on.'));
          inbox.dropForwarded();
        }
        await clock.sleep(backoff(attempt, 100, limits.maxPassDelay), signal);
        await this.reload();
      }
    }
  }

  /**
   * The next items could not be written together, and nothing says why: one at a time, each shows whether it is at
   * fault. Whether one was.
   */
  private async oneByOne(count: number): Promise<boolean> {
    const { inbox, signal } = this.options;
    let found = false;
    for (let left = count; left > 0 && !signal.aborted; left -= 1) {
      // No item is to be blamed for what has come due meanwhile.
      await this.catchUp();
      const items = inbox.take(1);
      const [item] = items;
      if (!item) break;
      try {
        await this.write(items, null);
      } catch (error) {
        this.assertTermGoesOn(error, items);
        found = true;
        if (error instanceof CoreFailure && error.item === null) inbox.putBack(items);
        else this.dismiss(item, error);
        await this.reload();
      }
    }
    return found;
  }

  /** The item causes the failure: it is refused or skipped. */
  private dismiss(item: Item, error: unknown): void {
    const { inbox, log } = this.options;
    if (item.type === 'command') {
      log.error({ err: error, command: item.command.kind }, 'a command cannot be carried out');
      if ('forwarded' in item.replyTo) {
        inbox.putBack([{ type: 'refused', refusal: internalRefusal, replyTo: item.replyTo }]);
      } else this.answer({ item, answer: internalRefusal });
    } else if (item.type === 'report') {
      // The dispatcher still knows the action, so it is not executed again before the next start.
      log.error({ err: error, action: item.report.outcome?.actionId }, 'the report of a host cannot be recorded');
    } else log.error({ err: error }, 'the answer to a forwarded command cannot be written');
  }

  /** Throws TermOver after an error that ends the term. */
  private assertTermGoesOn(error: unknown, items: readonly Item[]): void {
    if (error instanceof TermOver) throw error;
    if (error instanceof StoreError && error.kind !== 'PERMANENT') {
      const fenced = error.kind === 'FENCED';
      const reason = fenced ? 'Another server has become the writer.' : 'The database is out of reach.';
      this.options.log.error({ err: error }, reason);
      this.refuseLocal(items, unavailable(reason));
      throw new TermOver(fenced ? { why: 'fenced' } : { why: 'unavailable', error });
    }
    if (isFatal(error)) {
      this.refuseLocal(items, unavailable('The scheduler stops because a lease failed.'));
      throw new TermOver({ why: 'fatal', error });
    }
  }

  private async reload(): Promise<void> {
    const { committer, metrics } = this.options;
    this.pass.abandon();
    try {
      // No overall timeout: the number of live leases is unbounded, and each read has its own limit.
      const { core, notices } = await committer.persist(
        'loading the site',
        () => this.options.reload(),
        Number.POSITIVE_INFINITY,
      );
      this.core = core;
      this.notices = notices;
      metrics.reloaded();
    } catch (error) {
      const cause = error instanceof Error ? error : new Error(String(error));
      this.refuseLocal([], unavailable('The database is out of reach.'));
      const fenced = cause instanceof StoreError && cause.kind === 'FENCED';
      throw new TermOver(fenced ? { why: 'fenced' } : { why: 'unavailable', error: cause });
    }
  }

  /**
   * Refuses local commands: the given ones, also those that the core refused (possibly based on unwritten state), and
   * all waiting ones. Forwarded commands stay in the database.
   */
  private refuseLocal(items: readonly Item[], refusal: Refusal): void {
    for (const item of [...items, ...this.options.inbox.takeLocal()]) {
      if (item.type === 'command' && 'settle' in item.replyTo) this.answer({ item, answer: refusal });
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
