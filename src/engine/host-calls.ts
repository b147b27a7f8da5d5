/** One action on one machine: calls of the adapter, repeated until they say what became of it. */
import type { Logger } from 'pino';
import type { ActionKind, ActionRecord, ActionTarget, Instant, Millis } from '../core/index.ts';
import type { Clock } from './clock.ts';
import type { ActionResult, Adapter } from './ports.ts';
import { backoff, linkedController, orAborted } from './wake.ts';

export interface DispatchLimits {
  /** Calls of adapters at the same time; those that take longer than `slowCall` are not counted. */
  readonly concurrentCalls: number;
  /** Real time after which a call no longer keeps others waiting. */
  readonly slowCall: Millis;
  /** Real time after which a call is aborted and tried again. */
  readonly callTimeout: Millis;
  /** Real time after which an action that is still going has failed. */
  readonly actionTimeout: Millis;
  /** Real time by which an action may miss its deadline without a warning. */
  readonly lateness: Millis;
  /** Real time between two questions about an action that is still going. */
  readonly pollInterval: Millis;
  /** How often a call that throws is made. */
  readonly attempts: number;
  /** Real time before the second attempt; doubles up to `longestBackoff`. */
  readonly firstBackoff: Millis;
  readonly longestBackoff: Millis;
}

export const defaultDispatchLimits: DispatchLimits = {
  concurrentCalls: 64,
  slowCall: 1_000,
  callTimeout: 60_000,
  actionTimeout: 15 * 60_000,
  lateness: 1_000,
  pollInterval: 500,
  attempts: 5,
  firstBackoff: 200,
  longestBackoff: 10_000,
};

const methods = {
  PREPARE: 'prepare',
  START: 'start',
  SHUTDOWN: 'shutdown',
  SUSPEND: 'suspend',
  RESUME: 'resume',
  MIGRATE: 'migrate',
  DESTROY: 'destroy',
} as const satisfies Record<ActionKind, keyof Adapter>;

/** Bounds how many calls run at the same time. */
export class CallSlots {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  /** Resolves with the function that gives the slot back; calling it twice is harmless. */
  async take(): Promise<() => void> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((go) => this.waiting.push(go));
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const next = this.waiting.shift();
      if (next) next();
      else this.free += 1;
    };
  }
}

export interface TargetCall {
  readonly adapter: Adapter;
  readonly action: ActionRecord;
  readonly target: ActionTarget;
  /** Wall-clock instant; null when nothing says so. */
  readonly deadline: Instant | null;
  readonly clock: Clock;
  readonly limits: DispatchLimits;
  readonly slots: CallSlots;
  readonly signal: AbortSignal;
  readonly onAttempt: (attempt: number) => void;
  readonly log: Logger;
}

/** Null when it is done, else why it failed. Never rejects. */
export const callTarget = async (call: TargetCall): Promise<string | null> => {
  const { clock, limits, signal, log, target } = call;
  const begun = clock.monotonic();
  let made = 0;
  for (let attempt = 1; !signal.aborted; ) {
    // Asking again about what is still going is no new attempt.
    if (attempt > made) call.onAttempt(attempt);
    made = attempt;
    let wait = limits.pollInterval;
    try {
      const result = await callOnce(call);
      if (result.status === 'done') return null;
      if (result.status === 'failed') return result.reason;
    } catch (error) {
      if (signal.aborted) break;
      const message = error instanceof Error ? error.message : String(error);
      log.warn({ machine: target.machine, node: target.node, attempt, error: message }, 'host call failed');
      if (attempt >= limits.attempts) return `${message} (after ${attempt} attempts)`;
      wait = backoff(attempt, limits.firstBackoff, limits.longestBackoff);
      attempt += 1;
    }
    if (clock.monotonic() - begun >= limits.actionTimeout) {
      return `not finished after ${Math.round(limits.actionTimeout / 1_000)} s`;
    }
    await clock.sleep(wait, signal);
  }
  return 'aborted';
};

const callOnce = async ({
  adapter,
  action,
  target,
  deadline,
  clock,
  limits,
  slots,
  signal,
}: TargetCall): Promise<ActionResult> => {
  const release = await slots.take();
  using controller = linkedController(signal);
  const timers = new AbortController();
  try {
    if (signal.aborted) throw new Error('aborted');
    void clock.sleep(limits.slowCall, timers.signal).then(release);
    void clock.sleep(limits.callTimeout, timers.signal).then(() => controller.abort());
    const answer = adapter[methods[action.kind]]({
      actionId: action.id,
      target,
      signal: controller.signal,
      deadline,
    });
    // An adapter that ignores the signal is not waited for.
    return await orAborted(answer, controller.signal, () =>
      signal.aborted ? new Error('aborted') : new Error(`no answer within ${limits.callTimeout / 1_000} s`),
    );
  } finally {
    timers.abort();
    release();
  }
};
