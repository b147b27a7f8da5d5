import type { SiteSpec } from '../core/index.ts';
import type { AccountingData } from './accounting/recorder.ts';
import { type NodeSet, nodeSets } from './formats/site.ts';
import type { SimulationResult } from './result.ts';
import type { RunSummary } from './summary.ts';
import type { SimulationConfig } from './workload.ts';

/** The inputs of a run, so that it can be repeated, and its statistics. */
export interface RunRecord {
  readonly version: string;
  /** Files that were read; null where there was none. */
  readonly files: Readonly<Record<'trace' | 'config' | 'inject' | 'images' | 'cancel' | 'commands', string | null>>;
  readonly site: { readonly resourceTypes: readonly string[]; readonly nodes: readonly NodeSet[] };
  readonly configuration: Omit<SimulationConfig, 'site'>;
  readonly statistics: RunSummary;
}

export function recordedSite(site: SiteSpec): RunRecord['site'] {
  return { resourceTypes: site.resourceTypes, nodes: nodeSets(site) };
}

/** The result of a run as `simulate --output` writes it: one lease and one event per line. */
export function* writeResult(
  result: SimulationResult,
  accounting: AccountingData | null,
  run: RunRecord | null,
): Generator<string, void> {
  const { leases, events, summary, ...more } = result;
  yield `{"summary": ${JSON.stringify(summary)},\n`;
  if (run !== null) yield `"run": ${JSON.stringify(run)},\n`;
  for (const [key, value] of Object.entries(more)) {
    yield `${JSON.stringify(key)}: ${JSON.stringify(value)},\n`;
  }
  yield '"leases": [\n';
  yield* lines(leases);
  yield '],\n"events": [\n';
  yield* lines(events);
  yield ']';
  if (accounting !== null) yield `,\n"accounting": ${JSON.stringify(accounting)}`;
  yield '}\n';
}

function* lines(items: readonly unknown[]): Generator<string, void> {
  for (const [index, item] of items.entries()) {
    yield `${JSON.stringify(item)}${index + 1 < items.length ? ',' : ''}\n`;
  }
}
