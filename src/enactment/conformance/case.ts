import type { Bench, Stage } from './bench.ts';

/** One case of the conformance suite. */
export interface ConformanceCase {
  readonly name: string;
  /** What a bench must offer for the case; absent: nothing. */
  readonly needs?: Extract<keyof Bench, 'holdSuspension' | 'stopMachine'>;
  /** Rejects with an AssertionError, or with Skipped if the bench cannot run the case. */
  run(stage: Stage): Promise<void>;
}
