import { HostUnreachable } from '../../engine/ports.ts';
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

/**
 * Lease numbers of the suite. They are far above those of a site, so that its machines are distinct from those of
 * leases.
 */
export const firstConformanceLease = 900_001;

/** Runs one case on its own lease and cleans up. Rejects as the case does. */
export async function runCase(bench: Bench, { run }: ConformanceCase, leaseId = firstConformanceLease): Promise<void> {
  await using stage = await new Stage(bench, leaseId).open();
  await run(stage);
}

/** A module has the name only. */
const isUnreachable = (error: unknown): error is Error =>
  error instanceof Error && (error instanceof HostUnreachable || error.name === 'HostUnreachable');

/** Why hosts cannot be reached, one sentence per node; empty if all answer. */
async function unreachableHosts(bench: Bench): Promise<string[]> {
  await using stage = await new Stage(bench, firstConformanceLease).open();
  const reasons = bench.nodes.map(async ({ hostname, number }) => {
    try {
      await stage.inspect(1, number);
      return [];
    } catch (error) {
      // For other adapter errors, the cases give more detail.
      return isUnreachable(error) ? [`${hostname} does not answer: ${error.message}`] : [];
    }
  });
  return (await Promise.all(reasons)).flat();
}

/**
 * Runs the cases one after the other and reports each. If a host cannot be reached, the only result is that failure.
 */
export async function runConformance(
  bench: Bench,
  onResult: (result: CaseResult) => void = () => {},
): Promise<readonly CaseResult[]> {
  const results: CaseResult[] = [];
  const start = performance.now();
  const unreachable = await unreachableHosts(bench);
  if (unreachable.length > 0) {
    const message = unreachable.join('\n');
    const duration = performance.now() - start;
    const result: CaseResult = { name: 'the hosts answer', outcome: 'failed', message, duration };
    onResult(result);
    return [result];
  }
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
