/**
 * Work on machines, one job at a time per machine. Real hosts take longer than a call may wait: a call that runs out of
 * time is answered `pending`, the job continues, and the repeated call joins it.
 */
import type { Millis } from '../core/index.ts';
import type { ActionCall, ActionResult } from '../engine/ports.ts';

/** Time that a call waits for its job before it answers `pending`; well below the engine's time limit for calls. */
const defaultMaxWait: Millis = 20_000;

interface Job {
  readonly operation: string;
  readonly actionId: number;
  readonly controller: AbortController;
  /** Never rejects. */
  readonly ended: Promise<void>;
  /** Null while it goes on. */
  outcome: { readonly result: ActionResult } | { readonly error: unknown } | null;
  /** Calls that wait for it. */
  waiters: number;
}

export interface JobOptions {
  readonly maxWait?: Millis;
}

export class Jobs {
  /** By lease and machine. */
  private readonly jobs = new Map<string, Job>();
  private closed = false;

  constructor(private readonly options: JobOptions = {}) {}

  /**
   * Executes an operation after the current job of the machine has ended; `destroy` aborts that job. A job is aborted
   * when all calls that wait for it are aborted.
   */
  async run(
    operation: string,
    call: ActionCall,
    work: (signal: AbortSignal) => Promise<ActionResult>,
  ): Promise<ActionResult> {
    const { actionId, deadline, signal, target } = call;
    signal.throwIfAborted();
    const key = `${target.leaseId}/${target.machine}`;
    const maxWait = this.options.maxWait ?? defaultMaxWait;
    const until = Date.now() + Math.min(maxWait, Math.max(0, (deadline ?? Number.POSITIVE_INFINITY) - Date.now()));

    for (let job = this.jobs.get(key); job; job = this.jobs.get(key)) {
      const isSame = job.operation === operation && job.actionId === actionId;
      if (isSame && !job.controller.signal.aborted) return this.wait(key, job, until, signal);
      if (operation === 'destroy') job.controller.abort();
      if (job.outcome) this.jobs.delete(key);
      else if (!(await endsBy(job.ended, until, signal))) return { status: 'pending' };
    }
    if (this.closed) throw new Error('the adapter is closed');
    return this.wait(key, this.begin(key, operation, actionId, work), until, signal);
  }

  /** Aborts all jobs and waits for their end. */
  async close(): Promise<void> {
    this.closed = true;
    const jobs = [...this.jobs.values()];
    for (const { controller } of jobs) controller.abort();
    await Promise.all(jobs.map(({ ended }) => ended));
    this.jobs.clear();
  }

  /** Drops results that no call has collected, and aborts current jobs. */
  forget(): void {
    for (const { controller } of this.jobs.values()) controller.abort();
    for (const [key, { outcome }] of this.jobs) if (outcome) this.jobs.delete(key);
  }

  private begin(
    key: string,
    operation: string,
    actionId: number,
    work: (signal: AbortSignal) => Promise<ActionResult>,
  ): Job {
    const controller = new AbortController();
    let end: () => void = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const job: Job = { operation, actionId, controller, ended, outcome: null, waiters: 0 };
    this.jobs.set(key, job);
    void work(controller.signal)
      .then(
        (result) => {
          job.outcome = { result };
        },
        (error: unknown) => {
          job.outcome = { error };
        },
      )
      .then(end);
    return job;
  }

  private async wait(key: string, job: Job, until: Millis, signal: AbortSignal): Promise<ActionResult> {
    job.waiters += 1;
    try {
      if (!job.outcome && !(await endsBy(job.ended, until, signal))) return { status: 'pending' };
    } catch (aborted) {
      if (job.waiters === 1) job.controller.abort();
      throw aborted;
    } finally {
      job.waiters -= 1;
    }
    if (this.jobs.get(key) === job) this.jobs.delete(key);
    if (job.outcome && 'result' in job.outcome) return job.outcome.result;
    throw job.outcome?.error ?? new Error('the work ended without a result');
  }
}

/** Returns false on timeout. Rejects when the signal aborts. */
function endsBy(ended: Promise<void>, until: Millis, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => finish(() => resolve(false)), Math.max(0, until - Date.now()));
    const abort = (): void => finish(() => reject(signal.reason));
    const finish = (how: () => void): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      how();
    };
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    void ended.then(() => finish(() => resolve(true)));
  });
}
