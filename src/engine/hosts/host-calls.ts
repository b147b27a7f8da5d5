/** One action on one machine: calls of the adapter, repeated until they say what became of it. */
import type { Logger } from 'pino';
import type { ActionKind, ActionRecord, ActionTarget, Instant, Millis } from '../../core/index.ts';
import { backoff, type Semaphore, withTimeout } from '../async.ts';
import type { Clock } from '../clock.ts';
import { type ActionResult, type Adapter, HostUnreachable, type LeaseFacts } from '../ports.ts';

export interface DispatchLimits {
  /** Calls of adapters at the same time; those that take longer than `slowCall` are not counted. */
  readonly concurrentCalls: number;
  /** Real time after which a call no longer keeps others waiting. */
  readonly slowCall: Millis;
  /** Real time after which a call is aborted and tried again. */
  readonly callTimeout: Millis;
  /** Calls to one node at the same time. */
  readonly concurrentCallsPerNode: number;
  /**
   * Real time after which an action that is still going has failed; also the maximum wait for a node to become free.
   */
  readonly actionTimeout: Millis;
  /** The same for single kinds of actions. */
  readonly actionTimeouts: Partial<Readonly<Record<ActionKind, Millis>>>;
  /** Real time by which an action may miss its deadline without a warning. */
  readonly lateness: Millis;
  /** Real time between two questions about an action that is still going. */
  readonly pollInterval: Millis;
  /** How often a call that throws is made. */
  readonly attempts: number;
  /** Real time before the second attempt; doubles up to `maxBackoff`. */
  readonly minBackoff: Millis;
  readonly maxBackoff: Millis;
}

export const defaultDispatchLimits: DispatchLimits = {
  concurrentCalls: 64,
  slowCall: 1_000,
  callTimeout: 60_000,
  concurrentCallsPerNode: 8,
  actionTimeout: 15 * 60_000,
  actionTimeouts: {},
  lateness: 1_000,
  pollInterval: 500,
  attempts: 5,
  minBackoff: 200,
  maxBackoff: 10_000,
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

export interface TargetCall {
  readonly adapter: Adapter;
  readonly action: ActionRecord;
  readonly target: ActionTarget;
  readonly lease: LeaseFacts | null;
  /** Wall-clock instant; null when nothing says so. */
  readonly deadline: Instant | null;
  readonly clock: Clock;
  readonly limits: DispatchLimits;
  /** Bound all calls; a slow call gives its permit back. */
  readonly slots: Semaphore;
  /** Bound the calls to the target's node. */
  readonly nodeSlots: Semaphore;
  readonly signal: AbortSignal;
  readonly onAttempt: (attempt: number) => void;
  /** A call failed, and is made again or was the last. */
  readonly onFailure: (message: string) => void;
  readonly onOutput: (output: string) => void;
  /** Whether the host could be reached; `error`: why not. */
  readonly onReached: (error: unknown) => void;
  readonly log: Logger;
}

/** How long an action of a kind may take, in real time. */
export function timeoutOf({ actionTimeout, actionTimeouts }: DispatchLimits, kind: ActionKind): Millis {
  return actionTimeouts[kind] ?? actionTimeout;
}

/** Null when it is done, else why it failed. Never rejects. */
export async function callTarget(call: TargetCall): Promise<string | null> {
  const { action, clock, limits, signal, log, target } = call;
  const timeout = timeoutOf(limits, action.kind);
  const begun = clock.monotonic();
  let made = 0;
  for (let attempt = 1; !signal.aborted; ) {
    // Asking again about what is still going is no new attempt.
    if (attempt > made) call.onAttempt(attempt);
    made = attempt;
    let wait = limits.pollInterval;
    try {
      const result = await callOnce(call);
      call.onReached(null);
      if (result.output !== undefined) call.onOutput(result.output);
      if (result.status === 'done') return null;
      if (result.status === 'failed') return result.reason;
    } catch (error) {
      if (signal.aborted) break;
      const message = error instanceof Error ? error.message : String(error);
      log.warn({ machine: target.machine, node: target.node, attempt, error: message }, 'host call failed');
      call.onFailure(message);
      if (error instanceof HostUnreachable) call.onReached(error);
      if (attempt >= limits.attempts) return `${message} (after ${attempt} attempts)`;
      wait = backoff(attempt, limits.minBackoff, limits.maxBackoff);
      attempt += 1;
    }
    if (clock.monotonic() - begun >= timeout) return `not finished after ${Math.round(timeout / 1_000)} s`;
    await clock.sleep(wait, signal);
  }
  return 'aborted';
}

async function callOnce({
  adapter,
  action,
  target,
  lease,
  deadline,
  clock,
  limits,
  nodeSlots,
  slots,
  signal,
}: TargetCall): Promise<ActionResult> {
  const releaseNode = await nodeSlots.acquire();
  const release = await slots.acquire();
  const timer = new AbortController();
  try {
    if (signal.aborted) throw new Error('aborted');
    void clock.sleep(limits.slowCall, timer.signal).then(release);
    // An adapter that ignores the signal is not waited for.
    return await withTimeout(
      (limit) =>
        adapter[methods[action.kind]]({
          ...{ actionId: action.id, target, signal: limit, deadline },
          ...(lease && { lease }),
        }),
      {
        clock,
        duration: limits.callTimeout,
        signal,
        reason: () =>
          new Error(signal.aborted ? 'aborted' : `no answer within ${limits.callTimeout / 1_000} s`),
      },
    );
  } finally {
    timer.abort();
    release();
    releaseNode();
  }
}
