import type { Logger } from 'pino';
import type { Clock } from './clock.ts';
import { type Answer, type CommandInput, isAnswer, unavailable } from './commands.ts';
import type { EngineLimits } from './limits.ts';
import type { Store } from './ports.ts';
import { linkedController, orAborted } from './wake.ts';

export interface ForwarderOptions {
  readonly store: Pick<Store, 'forward'>;
  readonly clock: Clock;
  readonly limits: Pick<EngineLimits, 'forwardTimeout'>;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** What is answered when the signal aborts. */
  readonly shuttingDown: Answer;
}

/** A standby has the writer carry its commands out. */
export class Forwarder {
  constructor(private readonly options: ForwarderOptions) {}

  /** Never rejects. */
  async forward(input: CommandInput): Promise<Answer> {
    const { clock, limits, log, shuttingDown, signal, store } = this.options;
    using limit = linkedController(signal);
    const timer = new AbortController();
    void clock.sleep(limits.forwardTimeout, timer.signal).then(() => limit.abort());
    try {
      const gone = (): Error => new Error('the writer did not answer');
      const answer = await orAborted(store.forward(input, limit.signal), limit.signal, gone);
      return isAnswer(answer) ? answer : unavailable('The writer gave no answer that is understood.');
    } catch (error) {
      if (signal.aborted) return shuttingDown;
      log.warn({ err: error }, 'a command could not be passed on to the writer');
      return unavailable('The command could not be passed on to the writer.');
    } finally {
      timer.abort();
    }
  }
}
