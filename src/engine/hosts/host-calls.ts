/** One action on one machine: calls the adapter repeatedly until the outcome is known. */
import type { Logger } from 'pino';
import type { ActionKind, ActionRecord, ActionTarget, Instant, Millis } from '../../core/index.ts';
import { backoff, type Semaphore, withTimeout } from '../async.ts';
import type { Clock } from '../clock.ts';
import { type ActionResult, type Adapter, HostUnreachable, type LeaseFacts } from '../ports.ts';

export interface DispatchLimits {
  /** Maximum concurrent adapter calls. Calls that take longer than `slowCall` are not counted. */
  readonly concurrentCalls: number;
  /** Real time after which a call no longer counts toward the limit. */
  readonly slowCall: Millis;
  /** Real time after which a call is aborted and tried again. */
  readonly callTimeout: Millis;
  /** Maximum concurrent calls to one node. */
  readonly concurrentCallsPerNode: number;
  /** Real time after which an unfinished action has failed; also the maximum wait for a node to become free. */
  readonly actionTimeout: Millis;
  /** Overrides by kind of action. */
  readonly actionTimeouts: Partial<Readonly<Record<ActionKind, Millis>>>;
  /** Real time by which an action may miss its deadline without a warning. */
  readonly lateness: Millis;
  /** Polling interval for an unfinished action; real time. */
  readonly pollInterval: Millis;
  /** Maximum number of attempts of a call that throws. */
  readonly attempts: number;
  /** Real time before the second attempt; it doubles up to `maxBackoff`. */
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
  /** Wall-clock instant; null if there is none. */
  readonly deadline: Instant | null;
  readonly clock: Clock;
  readonly limits: DispatchLimits;
  /** Limits all calls; a slow call releases its permit. */
  readonly slots: Semaphore;
  /** Limits the calls to the node of the target. */
  readonly nodeSlots: Semaphore;
  readonly signal: AbortSignal;
  readonly onAttempt: (attempt: number) => void;
  /** A call failed; it is retried or was the last attempt. */
  readonly onFailure: (message: string) => void;
  readonly onOutput: (output: string) => void;
  /** Whether the host is reachable; `error` says why not. */
  readonly onReached: (error: unknown) => void;
  readonly log: Logger;
}

/** The time limit of a kind of action, beyond what is planned for it; real time. */
export function timeoutOf({ actionTimeout, actionTimeouts }: DispatchLimits, kind: ActionKind): Millis {
  return actionTimeouts[kind] ?? actionTimeout;
}

/** Null when done, otherwise the reason for the failure. Never rejects. */
export async function callTarget(call: TargetCall): Promise<string | null> {
  const { action, clock, limits, signal, log, target } = call;
  // An operation may take as long as was planned for it, and its time limit more.
  const planned = call.deadline === null ? 0 : Math.max(0, call.deadline - clock.wall());
  const timeout = timeoutOf(limits, action.kind) + planned;
  const begun = clock.monotonic();
  let made = 0;
  for (let attempt = 1; !signal.aborted; ) {
    // Polling an unfinished action is not a new attempt.
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
      const output = error instanceof Error && 'output' in error ? error.output : null;
      if (typeof output === 'string') call.onOutput(output);
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
    // Do not wait for an adapter that ignores the signal.
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
        reason: () => new Error(signal.aborted ? 'aborted' : `no answer within ${limits.callTimeout / 1_000} s`),
      },
    );
  } finally {
    timer.abort();
    release();
    releaseNode();
  }
}
