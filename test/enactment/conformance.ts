import { afterAll, describe, test } from 'vitest';
import {
  type Bench,
  conformanceCases,
  firstConformanceLease,
  runCase,
  Skipped,
} from '../../src/enactment/conformance/index.ts';

/** The conformance suite as tests: `describeConformance({ name: 'mine', make: async () => new MyAdapter(), … })`. */
export function describeConformance(bench: Bench): void {
  describe(`${bench.name}: conformance`, () => {
    afterAll(() => bench.close?.());

    conformanceCases.forEach((each, index) => {
      // Another bench of the same kind offers it.
      if (each.needs && !bench[each.needs]) return;
      test(each.name, async ({ skip }) => {
        try {
          await runCase(bench, each, firstConformanceLease + index);
        } catch (error) {
          if (error instanceof Skipped) skip(error.message);
          throw error;
        }
      });
    });
  });
}
