/**
 * One term as the writer: takes turns until the engine stops or the right to write is gone.
 *
 * A turn takes what waits (commands, reports about actions, what is due), lets the core work on it, writes everything that changed
 * in one transaction, and only then answers the callers, publishes the events and dispatches the actions. Turns never overlap:
 * while one is being written, commands gather for the next.
 */
import type { Logger } from 'pino';
import type { Changes, Instant, LeaseEventRecord } from '../core/index.ts';
import type { Clock } from './clock.ts';
import {
  type Answer,
  type Command,
  type CommandQueue,
  internalRefusal,
  settle,
  unavailable,
} from './commands.ts';
import type { BatchContent, Committer } from './committer.ts';
import type { Core } from './core.ts';
import type { ActionReport, Dispatcher } from './dispatcher.ts';
import type { Inspection } from './inspection.ts';
import type { EngineLimits } from './limits.ts';
import { Mailbox } from './mailbox.ts';
import type { EngineMetrics } from './metrics.ts';
import { PassRunner } from './pass.ts';
import { type IdempotencyRecord, type Store, StoreError } from './ports.ts';
import type { Publisher } from './publisher.ts';
import {
  applyCommands,
  applyReports,
  CoreFailure,
  carryOutDue,
  guarded,
  isEmpty,
  isFatal,
  noTurn,
  nothing,
  type Taking,
  type Turn,
  TurnFailure,
} from './turn.ts';
import { backoff, linkedController, type Wake, yieldToOthers } from './wake.ts';

export interface SessionOptions {
  readonly store: Store;
  readonly committer: Committer;
  readonly core: Core;
  /** Loads the core anew. Throws StoreError. */
  readonly reload: () => Promise<Core>;
  readonly clock: Clock;
  readonly limits: EngineLimits;
  readonly log: Logger;
  readonly metrics: EngineMetrics;
  readonly queue: CommandQueue;
  readonly reports: ActionReport[];
  readonly publisher: Publisher;
  readonly dispatcher: Dispatcher;
  readonly inspection: Pick<Inspection, 'committed'>;
  /** Wakes the session: a command, a report, a notice. */
  readonly wake: Wake;
  /** Says what is wrong, null when all is well again. */
  readonly problem: (what: string | null) => void;
  readonly signal: AbortSignal;
}

/** Why a term ended: `fenced`: another process writes now; `unavailable`: the database is out of reach; `fatal`: it must not go on. */
export type SessionEnd =
  | { readonly why: 'stopped' | 'fenced' }
  | { readonly why: 'unavailable' | 'fatal'; readonly error: Error };

export class WriterSession {
  core: Core;
  readonly mailbox = new Mailbox();
  private readonly pass: PassRunner;
  /** After a turn that could not be written: how many of what it held are still to be taken one by one, in this order. */
  private isolated: Taking = nothing;
  /** Turns that failed one after the other without anybody being at fault. */
  private failures = 0;
  private lastTurn: Instant = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: SessionOptions) {
    this.core = options.core;
    this.pass = new PassRunner(options.clock, options.limits, options.metrics);
  }

  async run(): Promise<SessionEnd> {
    const { signal, committer } = this.options;
    // The first turn at once: it catches up with what came due since the last commit.
    for (let first = true; ; first = false) {
      if (!first) await this.idle();
      if (signal.aborted) return { why: 'stopped' };
      try {
        if (committer.lost.aborted) await committer.recover();
        await this.turn();
        await yieldToOthers();
      } catch (error) {
        const end = await this.failed(error);
        if (end) return end;
      }
    }
  }

  /** Waits for something to do. */
  private async idle(): Promise<void> {
    const { clock, committer, queue, reports, signal, wake } = this.options;
    if (queue.length > 0 || reports.length > 0 || this.mailbox.hasWork) return;
    if (this.pass.wanted(this.core)) return;
    const next = this.nextWork();
    if (next !== null && next <= clock.now()) return;
    using waiting = linkedController(signal, committer.lost);
    if (next !== null) void clock.until(next, waiting.signal).then(() => waiting.abort());
    await wake.wait(waiting.signal);
    waiting.abort();
  }

  private nextWork(): Instant | null {
    const { clock, limits, log } = this.options;
    let due = this.core.nextInstant();
    if (due !== null && due <= this.lastTurn) {
      log.error({ due, lastTurn: this.lastTurn }, 'the core did not carry out what was due');
      due = clock.now() + limits.passInterval;
    }
    const pass = this.pass.retryAt(this.core);
    return due === null || pass === null ? (due ?? pass) : Math.min(due, pass);
  }

  private async turn(): Promise<void> {
    const { clock, limits, queue } = this.options;
    const blaming = this.isolated !== nothing;
    // Nobody is to be blamed for what is due by itself: it is written first, alone.
    const behind = blaming
      ? carryOutDue(this.core, clock.now() + 1, 1)
      : carryOutDue(this.core, clock.now(), limits.rowsPerTurn);
    const kind = behind !== null ? 'behind' : blaming ? 'alone' : 'whole';
    const most = this.taking(kind);
    const turn: Turn = {
      kind,
      most,
      commands: queue.take(most.commands, limits.rowsPerTurn),
      reports: [],
      answers: [],
    };
    let changes: Changes;
    try {
      changes = await this.work(turn, behind);
    } catch (error) {
      throw new TurnFailure(error, turn);
    }
    this.committed(turn, changes);
  }

  private taking(kind: Turn['kind']): Taking {
    const { commandsPerTurn } = this.options.limits;
    if (kind === 'whole')
      return { commands: commandsPerTurn, forwarded: commandsPerTurn, reports: commandsPerTurn };
    if (kind === 'behind') return nothing;
    const { commands, forwarded } = this.isolated;
    if (commands > 0) return { ...nothing, commands: 1 };
    return forwarded > 0 ? { ...nothing, forwarded: 1 } : { ...nothing, reports: 1 };
  }

  /** Has the core work on what waits, at the present or at the instant to which it has come, and writes what changed. */
  private async work(turn: Turn, behind: Instant | null): Promise<Changes> {
    const { core, mailbox, pass } = this;
    const { clock, committer, limits, reports, store } = this.options;
    const forwarded = await mailbox.take(
      turn.most.forwarded - turn.commands.length,
      limits.rowsPerTurn,
      (most) => committer.persist('reading forwarded commands', () => store.forwarded(most)),
    );
    turn.commands.push(...forwarded);
    turn.reports = reports.slice(0, turn.most.reports);
    const known = await this.remembered(turn.commands);
    const now = behind ?? clock.now();
    guarded('advance', () => core.advance(now));
    const { answers, idempotency } = applyCommands(core, now, turn.commands, known);
    turn.answers = answers;
    applyReports(core, now, turn.reports);
    if (turn.kind === 'whole') {
      await pass.slices(core, now, turn.commands.length > 0, () => this.interrupted(now));
    }
    guarded('advance', () => core.advance(now));
    const rows = core.changedRows;
    const content: BatchContent = {
      changes: guarded('taking changes', () => core.takeChanges()),
      idempotency,
      outcomes: turn.reports.flatMap(({ outcome }) => outcome ?? []),
      answers: mailbox.answersWith(answers),
    };
    if (!isEmpty(content)) {
      const begun = clock.monotonic();
      await committer.commit(content, rows);
      pass.written(rows, clock.monotonic() - begun);
    } else {
      // Who is refused, or told of what was before, is told by what is true now.
      if (answers.length > 0) await committer.confirm();
      // A pass that changes nothing and still is not enough must not keep the engine busy.
      if (turn.kind === 'whole' && pass.wanted(core) && pass.inVain) pass.postpone(limits.passInterval);
    }
    this.lastTurn = now;
    return content.changes;
  }

  /** It is written: now it may be seen. */
  private committed(turn: Turn, changes: Changes): void {
    const { dispatcher, inspection, metrics, problem, publisher, reports } = this.options;
    this.mailbox.written();
    this.failures = 0;
    if (turn.kind === 'alone') {
      this.isolate(
        this.isolated.commands - turn.most.commands,
        this.isolated.forwarded - turn.most.forwarded,
        this.isolated.reports - turn.most.reports,
      );
    }
    reports.splice(0, turn.reports.length);
    for (const { outcome } of turn.reports) if (outcome) dispatcher.recorded(outcome.actionId);
    for (const [command, answer] of turn.answers) this.answer(command, answer);
    publisher.append(changes.events);
    metrics.events(changes.events.length);
    this.logEvents(changes.events);
    inspection.committed(changes);
    dispatcher.add(changes.actions);
    problem(this.core.needsPass ? this.pass.trouble : null);
  }

  /** Whether the pass should let the turn come to its end: somebody waits, or something is due. (Reports of hosts can wait.) */
  private interrupted(now: Instant): boolean {
    const { clock, queue, signal } = this.options;
    if (queue.length > 0 || this.mailbox.waiting || signal.aborted) return true;
    const next = this.core.nextInstant();
    return next !== null && next > now && next <= clock.now();
  }

  private async remembered(commands: readonly Command[]): Promise<readonly IdempotencyRecord[]> {
    const keys = commands.flatMap(({ input }) =>
      input.kind === 'request' && input.idempotencyKey !== null
        ? [{ principal: input.principal, key: input.idempotencyKey }]
        : [],
    );
    if (keys.length === 0) return [];
    const { committer, store } = this.options;
    return committer.persist('looking up idempotency keys', () => store.idempotency(keys));
  }

  private answer(command: Command, answer: Answer): void {
    this.options.metrics.commands(command.input.kind, 'error' in answer ? 'refused' : 'accepted');
    settle(command, answer);
  }

  private logEvents(events: readonly LeaseEventRecord[]): void {
    for (const { leaseId, from, to, reason, sequence, at } of events) {
      const fields = {
        lease: leaseId,
        from,
        to,
        sequence,
        at,
        ...(reason ? { reason: reason.message } : {}),
      };
      if (to === 'FAILED') this.options.log.error(fields, 'lease failed');
      else this.options.log.debug(fields, 'lease changed');
    }
  }

  /** Says how to go on after a turn that failed; null: with the next turn. */
  private async failed(error: unknown): Promise<SessionEnd | null> {
    const { cause, turn } = error instanceof TurnFailure ? error : new TurnFailure(error, noTurn);
    const { log } = this.options;
    if (cause instanceof StoreError && cause.kind !== 'PERMANENT') {
      const fenced = cause.kind === 'FENCED';
      const why = fenced ? 'Another server has become the writer.' : 'The database is out of reach.';
      this.refuse(turn, unavailable(why));
      log.error({ err: cause }, why);
      return fenced ? { why: 'fenced' } : { why: 'unavailable', error: cause };
    }
    if (isFatal(cause)) {
      this.refuse(turn, unavailable('The scheduler stops because a lease failed.'));
      return { why: 'fatal', error: cause };
    }
    const fields = { err: cause, commands: turn.commands.length, reports: turn.reports.length };
    log.error(fields, 'a turn failed; the core is loaded anew');
    await this.findCulprit(turn, cause);
    return this.startOver();
  }

  /** Nothing of the turn was written: who is at fault is refused, the others have their turn again. */
  private async findCulprit(turn: Turn, cause: unknown): Promise<void> {
    const { clock, limits, log, problem, queue, reports, signal } = this.options;
    const what = cause instanceof Error ? cause.message : String(cause);
    const [command] = turn.commands;
    const [report] = turn.reports;
    let culprit: Command | null = null;
    if (cause instanceof CoreFailure) {
      // The core says what it was doing. What it does by itself (a pass, what is due) is no command's fault.
      culprit = cause.command;
      if (!culprit) this.nobodyAtFault(what, cause.during === 'a pass');
    } else if (turn.kind === 'whole' && (command || report)) {
      // It could not be written, for what one of them asks: one at a time it will show which.
      const forwarded = turn.commands.filter(({ replyTo }) => 'forwarded' in replyTo).length;
      this.isolate(turn.commands.length - forwarded, forwarded, turn.reports.length);
    } else if (command) {
      culprit = command;
    } else if (report) {
      log.error(
        { action: report.outcome?.actionId, err: cause },
        'the outcome of an action cannot be recorded',
      );
      // The dispatcher still knows the action, so that it is not carried out again before the next start.
      reports.shift();
    } else this.nobodyAtFault(what, true);

    if (culprit) {
      if ('forwarded' in culprit.replyTo) this.mailbox.answer(culprit.replyTo.forwarded, internalRefusal);
      else this.answer(culprit, internalRefusal);
    }
    queue.putBack(turn.commands.filter((each) => each !== culprit && 'settle' in each.replyTo));
    this.mailbox.waiting = true;
    if (this.failures <= 1) return;
    problem(`The scheduler cannot go on: ${what}`);
    if (this.failures > 2) this.refuse(noTurn, unavailable('The scheduler is in trouble.'));
    await clock.sleep(backoff(this.failures, 100, limits.longestPassDelay), signal);
  }

  private isolate(commands: number, forwarded: number, reports: number): void {
    this.isolated = commands + forwarded + reports > 0 ? { commands, forwarded, reports } : nothing;
  }

  /** Perhaps what a pass wants cannot be written: passes wait, longer each time; the rest goes on. */
  private nobodyAtFault(what: string, duringPass: boolean): void {
    this.failures += 1;
    if (duringPass) this.pass.failed(what);
  }

  private async startOver(): Promise<SessionEnd | null> {
    const { committer, metrics } = this.options;
    this.pass.abandon();
    try {
      // However much lives: each of its reads has a limit of its own.
      this.core = await committer.persist(
        'loading the site',
        () => this.options.reload(),
        Number.POSITIVE_INFINITY,
      );
      metrics.reloaded();
      return null;
    } catch (error) {
      const cause = error instanceof Error ? error : new Error(String(error));
      this.refuse(noTurn, unavailable('The database is out of reach.'));
      if (cause instanceof StoreError && cause.kind === 'FENCED') return { why: 'fenced' };
      return { why: 'unavailable', error: cause };
    }
  }

  /** Also who was refused by the core: that may have been for something that was not written, or was not so any more. */
  private refuse({ commands }: Turn, answer: Answer): void {
    for (const command of [...commands, ...this.options.queue.take(Number.POSITIVE_INFINITY)]) {
      // Commands in the database stay there, for whoever is the writer next.
      if ('settle' in command.replyTo) this.answer(command, answer);
    }
  }
}
