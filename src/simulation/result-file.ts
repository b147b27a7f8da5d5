import type { AccountingData } from './accounting/recorder.ts';
import type { SimulationResult } from './result.ts';

/** A run's result as `simulate --output` writes it, with what its probes recorded; one lease and one event a line. */
export function* writeResult(
  result: SimulationResult,
  accounting: AccountingData | null,
): Generator<string, void> {
  const { leases, events, summary, ...more } = result;
  yield `{"summary": ${JSON.stringify(summary)},\n`;
  for (const [key, value] of Object.entries(more))
    yield `${JSON.stringify(key)}: ${JSON.stringify(value)},\n`;
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
