import type { Logger } from 'pino';
import type { Millis, NodeStateRecord } from '../../core/index.ts';
import { linkedController } from '../async.ts';
import type { Clock } from '../clock.ts';
import { type ActionReport, noReport } from './report.ts';

export interface StartPauseOptions {
  readonly clock: Clock;
  /** Real time. */
  readonly pause: Millis;
  readonly log: Logger;
  readonly report: (report: ActionReport) => void;
  readonly signal: AbortSignal;
}

/** Suspends further starts on a node for some time after a failed start. */
export class StartPauses {
  private readonly paused = new Map<number, AbortController & Disposable>();

  constructor(private readonly options: StartPauseOptions) {}

  /** Updates from stored node states. */
  follow(states: readonly NodeStateRecord[]): void {
    const { clock, pause } = this.options;
    for (const { number, state, cause } of states) {
      this.paused.get(number)?.abort();
      this.paused.delete(number);
      if (state !== 'DRAINING' || cause?.code !== 'START_FAILED') continue;
      const elapsed = Math.max(0, clock.now() - cause.at) / clock.speed;
      void this.resume(number, Math.max(0, pause - elapsed));
    }
  }

  private async resume(node: number, after: Millis): Promise<void> {
    const { clock, log, report, signal } = this.options;
    using waiting = linkedController(signal);
    this.paused.set(node, waiting);
    await clock.sleep(after, waiting.signal);
    if (waiting.signal.aborted) return;
    this.paused.delete(node);
    log.info({ node }, 'a node on which a machine could not be started is used again');
    const message = 'the pause after a machine that could not be started is over';
    report({ ...noReport, nodeState: { node, state: 'UP', code: 'START_FAILED', message } });
  }
}
