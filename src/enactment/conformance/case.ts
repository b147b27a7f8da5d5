import type { Stage } from './bench.ts';

/** One case of the conformance suite. */
export interface ConformanceCase {
  readonly name: string;
  /** Rejects with an AssertionError, or with Skipped where the bench cannot try it. */
  run(stage: Stage): Promise<void>;
}
