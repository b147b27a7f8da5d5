/** The suite that every adapter must pass. */
import type { ConformanceCase } from './case.ts';
import { interruptions } from './interruptions.ts';
import { names } from './names.ts';
import { operations } from './operations.ts';

export const conformanceCases: readonly ConformanceCase[] = [...operations, ...interruptions, ...names];
