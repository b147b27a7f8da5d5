/**
 * One term as the writer: takes turns until the engine stops or the right to write is gone.
 *
 * A turn takes what waits (commands, reports about actions, what is due), lets the core work on it, writes everything that changed
 * in one transaction, and only then answers the callers, publishes the events and dispatches the actions. Turns never overlap:
 * while one is being written, commands gather for the next.
 */
import type { Logger } from 'pino';
import { type Instant, type LeaseEventRecord, SchedulerError } from '../core/index.ts';
import type { Clock } from './clock.ts';
import {
  type Answer,
  type Command,
  type CommandQueue,
  forwardedInput,
  internalRefusal,
  refusal,
  settle,
  unavailable,
} from './commands.ts';
import type { BatchContent, Committer } from './committer.ts';
import type { Core } from './core.ts';
import type { ActionReport, Dispatcher } from './dispatcher.ts';
import type { EngineLimits } from './limits.ts';
import type { EngineMetrics } from './metrics.ts';
import { PassRunner } from './pass.ts';
import { type IdempotencyRecord, type Store, StoreError } from './ports.ts';
import type { Publisher } from './publisher.ts';
import { applyCommands, applyReports, CoreFailure, guarded } from './turn.ts';
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
  /** Commands may wait in the database. */
  forwardedWaiting = true;
  private readonly pass: PassRunner;
  /** Answers for the database that were given outside a turn. */
  private unwritten: { commandId: string; answer: Answer }[] = [];
  /** After a turn that could not be written: how many commands are still to be carried out one by one. */
  private isolated = 0;
  /** Turns without a command that failed, one after the other. */
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
    if (queue.length > 0 || reports.length > 0 || this.forwardedWaiting || this.unwritten.length > 0) return;
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
    const { clock, committer, dispatcher, limits, metrics, publisher, queue, reports } = this.options;
    const most = this.isolated > 0 ? 1 : limits.commandsPerTurn;
    const commands = queue.take(most);
    const taken = reports.slice(0, limits.commandsPerTurn);
    let answers: readonly (readonly [Command, Answer])[] = [];
    try {
      commands.push(...(await this.forwardedCommands(most - commands.length)));
      const known = await this.remembered(commands);
      const now = clock.now();
      const { core } = this;
      guarded('advance', () => core.advance(now));
      const applied = applyCommands(core, now, commands, known);
      answers = applied.answers;
      applyReports(core, now, taken);
      await this.pass.slices(core, now, () => this.interrupted(now));
      guarded('advance', () => core.advance(now));
      const content: BatchContent = {
        changes: guarded('takeChanges', () => core.takeChanges()),
        idempotency: applied.idempotency,
        outcomes: taken.map((report) => report.outcome),
        answers: [...this.unwritten, ...forwardedAnswers(answers)],
      };
      const empty = isEmpty(content);
      if (!empty) await committer.commit(content);
      // A pass that changes nothing and still is not enough must not keep the engine busy.
      else if (this.pass.wanted(core) && !this.pass.underWay) this.pass.postpone(limits.passInterval);
      this.lastTurn = now;
      this.unwritten = [];
      this.failures = 0;
      this.isolated = Math.max(0, this.isolated - 1);

      reports.splice(0, taken.length);
      for (const report of taken) dispatcher.recorded(report.action.id);
      for (const [command, answer] of answers) this.answer(command, answer);
      publisher.append(content.changes.events);
      metrics.events(content.changes.events.length);
      this.logEvents(content.changes.events);
      dispatcher.add(content.changes.actions);
      this.options.problem(this.pass.trouble);
    } catch (error) {
      throw new TurnFailure(error, commands, answers);
    }
  }

  /** Whether the pass should let the turn come to its end: somebody waits, or something is due. */
  private interrupted(now: Instant): boolean {
    const { clock, queue, reports, signal } = this.options;
    if (queue.length > 0 || reports.length > 0 || this.forwardedWaiting || signal.aborted) return true;
    const next = this.core.nextInstant();
    return next !== null && next > now && next <= clock.now();
  }

  /** Commands that wait in the database, where they stay until their answers are written. */
  private async forwardedCommands(most: number): Promise<Command[]> {
    if (!this.forwardedWaiting || most <= 0) return [];
    this.forwardedWaiting = false;
    const { committer, store } = this.options;
    const waiting = await committer.persist('reading forwarded commands', () => store.forwarded(most));
    if (waiting.length === most) this.forwardedWaiting = true;
    return waiting.flatMap(({ id, payload }): Command[] => {
      if (this.unwritten.some((each) => each.commandId === id)) return [];
      const input = forwardedInput(payload);
      if (input) return [{ input, replyTo: { forwarded: id } }];
      this.unwritten.push({
        commandId: id,
        answer: refusal('INVALID_REQUEST', 'This command is not understood.'),
      });
      return [];
    });
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
    const failure = error instanceof TurnFailure ? error : new TurnFailure(error, [], []);
    const { cause } = failure;
    const { log } = this.options;
    if (cause instanceof StoreError && cause.kind !== 'PERMANENT') {
      const fenced = cause.kind === 'FENCED';
      this.refuse(
        failure,
        unavailable(fenced ? 'Another server has become the writer.' : 'The database is out of reach.'),
      );
      log.error(
        { err: cause },
        fenced ? 'fenced: another process writes now' : 'the database is out of reach',
      );
      return fenced ? { why: 'fenced' } : { why: 'unavailable', error: cause };
    }
    if (isFatal(cause)) {
      this.refuse(failure, unavailable('The scheduler stops because a lease failed.'));
      return { why: 'fatal', error: cause };
    }
    log.error({ err: cause, commands: failure.commands.length }, 'a turn failed; the core is loaded anew');
    return this.startOver(failure);
  }

  /** Nothing of the turn was written. The core is loaded anew, and the commands are carried out again without the one at fault. */
  private async startOver(failure: TurnFailure): Promise<SessionEnd | null> {
    const { clock, committer, limits, metrics, problem, queue, signal } = this.options;
    const what = failure.cause instanceof Error ? failure.cause.message : String(failure.cause);
    this.blame(failure, what);
    this.pass.abandon();
    if (failure.commands.length === 0) {
      // No command is at fault: what the core itself wanted to do fails. Passes wait; the rest goes on.
      this.failures += 1;
      this.pass.failed(what);
      problem(this.pass.trouble);
      if (this.failures > 1) await clock.sleep(backoff(this.failures, 100, limits.longestPassDelay), signal);
    }
    try {
      this.core = await committer.persist('loading the site', () => this.options.reload());
      metrics.reloaded();
      return null;
    } catch (error) {
      for (const command of queue.take(Number.POSITIVE_INFINITY))
        this.answer(command, unavailable('The database is out of reach.'));
      if (error instanceof StoreError && error.kind === 'FENCED') return { why: 'fenced' };
      return { why: 'unavailable', error: error instanceof Error ? error : new Error(String(error)) };
    }
  }

  /** Refuses the command at fault, if it is known; the others wait again, one a turn when nobody knows which one it is. */
  private blame({ cause, commands }: TurnFailure, what: string): void {
    const known = cause instanceof CoreFailure ? cause.command : null;
    const culprit = known ?? (commands.length === 1 ? (commands[0] as Command) : null);
    if (culprit) {
      const answer = internalRefusal(what);
      if ('forwarded' in culprit.replyTo)
        this.unwritten.push({ commandId: culprit.replyTo.forwarded, answer });
      this.answer(culprit, answer);
    }
    const others = commands.filter((command) => command !== culprit);
    this.options.queue.putBack(others.filter((command) => 'settle' in command.replyTo));
    this.forwardedWaiting = true;
    this.isolated = culprit ? 0 : others.length;
  }

  /** Callers whose command was refused by the core are told so; the others that it did not happen. */
  private refuse({ commands, answers }: TurnFailure, answer: Answer): void {
    const own = new Map(answers);
    for (const command of [...commands, ...this.options.queue.take(Number.POSITIVE_INFINITY)]) {
      if ('forwarded' in command.replyTo) continue;
      const given = own.get(command);
      this.answer(command, given && 'error' in given ? given : answer);
    }
  }
}

/** A turn that was not written, with the commands that it had taken. */
class TurnFailure extends Error {
  constructor(
    override readonly cause: unknown,
    readonly commands: readonly Command[],
    readonly answers: readonly (readonly [Command, Answer])[],
  ) {
    super('a turn failed');
  }
}

const isFatal = (error: unknown): error is CoreFailure =>
  error instanceof CoreFailure &&
  error.cause instanceof SchedulerError &&
  error.cause.code === 'LEASE_FAILURE';

const forwardedAnswers = (
  answers: readonly (readonly [Command, Answer])[],
): { commandId: string; answer: Answer }[] =>
  answers.flatMap(([command, answer]) =>
    'forwarded' in command.replyTo ? [{ commandId: command.replyTo.forwarded, answer }] : [],
  );

const isEmpty = ({ changes, idempotency, outcomes, answers }: BatchContent): boolean =>
  changes.site === null &&
  changes.leases.length + changes.reservations.length + changes.withdrawn.length === 0 &&
  changes.events.length + changes.actions.length === 0 &&
  idempotency.length + outcomes.length + answers.length === 0;
