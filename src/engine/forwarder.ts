import type { Logger } from 'pino';
import { withTimeout } from './async.ts';
import type { Clock } from './clock.ts';
import { type Answer, isAnswer, unavailable } from './commands/answer.ts';
import type { Command } from './commands/command.ts';
import type { EngineLimits } from './limits.ts';
import type { Store } from './ports.ts';

export interface ForwarderOptions {
  readonly store: Pick<Store, 'forward'>;
  readonly clock: Clock;
  readonly limits: Pick<EngineLimits, 'forwardTimeout'>;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** The answer when the signal aborts. */
  readonly shuttingDown: Answer;
}

/** Forwards the commands of a standby to the writer. */
export class Forwarder {
  constructor(private readonly options: ForwarderOptions) {}

  /** Never rejects. */
  async forward(command: Command): Promise<Answer> {
    const { clock, limits, log, shuttingDown, signal, store } = this.options;
    try {
      const answer = await withTimeout((limit) => store.forward(command, limit), {
        clock,
        duration: limits.forwardTimeout,
        signal,
        reason: () => new Error('the writer did not answer in time'),
      });
      return isAnswer(answer) ? answer : unavailable('The answer of the writer was not understood.');
    } catch (error) {
      if (signal.aborted) return shuttingDown;
      log.warn({ err: error }, 'a command could not be forwarded to the writer');
      return unavailable('The command could not be forwarded to the writer.');
    }
  }
}
