import { type Bench, Skipped, Stage } from './bench.ts';
import type { ConformanceCase } from './case.ts';
import { conformanceCases } from './cases.ts';

export interface CaseResult {
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Why it failed or was skipped. */
  readonly message: string | null;
  /** Milliseconds. */
  readonly duration: number;
}

/** Lease numbers of the suite, far above those of a site: its machines can be told from those of leases. */
export const firstConformanceLease = 900_001;

/** Runs one case on a lease of its own, and removes what it leaves. Rejects as the case does. */
export async function runCase(
  bench: Bench,
  { run }: ConformanceCase,
  leaseId = firstConformanceLease,
): Promise<void> {
  await using stage = await new Stage(bench, leaseId).open();
  await run(stage);
}

/** Runs the suite, one case after the other, and tells of each. */
export async function runConformance(
  bench: Bench,
  onResult: (result: CaseResult) => void = () => {},
): Promise<readonly CaseResult[]> {
  const results: CaseResult[] = [];
  for (const [index, each] of conformanceCases.entries()) {
    const began = performance.now();
    const end = (outcome: CaseResult['outcome'], message: string | null): void => {
      const result: CaseResult = { name: each.name, outcome, message, duration: performance.now() - began };
      results.push(result);
      onResult(result);
    };
    try {
      await runCase(bench, each, firstConformanceLease + index);
      end('passed', null);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      end(error instanceof Skipped ? 'skipped' : 'failed', message);
    }
  }
  return results;
}
