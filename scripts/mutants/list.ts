/** One small fault in the sources, and the tests that have to find it. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  readonly tests: readonly string[];
}

export const mutants: readonly Mutant[] = [];
