import type { Stage } from './bench.ts';

/** One case of the conformance suite. */
export interface ConformanceCase {
  readonly name: string;
  /** Rejects with an AssertionError, or with Skipped if the bench cannot run the case. */
  run(stage: Stage): Promise<void>;
}
