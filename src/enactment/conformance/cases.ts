/** The suite that every adapter passes, whatever it drives. */
import type { Stage } from './bench.ts';
import { interruptions } from './interruptions.ts';
import { names } from './names.ts';
import { operations } from './operations.ts';

export interface ConformanceCase {
  readonly name: string;
  /** Rejects with an AssertionError, or with Skipped where the bench cannot try it. */
  run(stage: Stage): Promise<void>;
}

export const conformanceCases: readonly ConformanceCase[] = [...operations, ...interruptions, ...names];
