import type { LeaseResult, Seconds, SimulationResult } from '../../simulation/result.ts';
import { formatTable } from '../table.ts';

export interface Difference {
  readonly id: number;
  readonly simulated: Pick<LeaseResult, 'state' | 'start' | 'end'>;
  readonly replayed: Pick<LeaseResult, 'state' | 'start' | 'end'>;
  /** The larger of the differences of start and end; infinite when the outcome is another one. */
  readonly seconds: Seconds;
}

/** Lease by lease, the largest difference first. */
export function differences(simulated: SimulationResult, replayed: SimulationResult): Difference[] {
  const expected = new Map(simulated.leases.map((lease) => [lease.id, lease]));
  return replayed.leases
    .flatMap((lease) => {
      const other = expected.get(lease.id);
      return other ? [{ id: lease.id, simulated: other, replayed: lease, seconds: distance(other, lease) }] : [];
    })
    .sort((a, b) => b.seconds - a.seconds || a.id - b.id);
}

function distance(a: Difference['simulated'], b: Difference['simulated']): Seconds {
  if (a.state !== b.state) return Number.POSITIVE_INFINITY;
  const between = (one: Seconds | null, other: Seconds | null) =>
    one === null || other === null ? (one === other ? 0 : Number.POSITIVE_INFINITY) : Math.abs(one - other);
  return Math.max(between(a.start, b.start), between(a.end, b.end));
}

const shown = 20;

/** What is beyond the tolerance, in words and a table. */
export function formatDifferences(found: readonly Difference[], tolerance: Seconds): string {
  const beyond = found.filter(({ seconds }) => seconds > tolerance);
  const within = found.length - beyond.length;
  const summary = `${within} of ${found.length} leases came out as simulated, within ${tolerance} s.\n`;
  if (beyond.length === 0) return summary;
  const time = (value: Seconds | null) => (value === null ? '-' : String(value));
  const table = formatTable(
    [
      { title: 'LEASE', align: 'right' },
      { title: 'SIMULATED' },
      { title: 'START', align: 'right' },
      { title: 'END', align: 'right' },
      { title: 'REPLAYED' },
      { title: 'START', align: 'right' },
      { title: 'END', align: 'right' },
    ],
    beyond
      .slice(0, shown)
      .map(({ id, simulated, replayed }) => [
        String(id),
        simulated.state,
        time(simulated.start),
        time(simulated.end),
        replayed.state,
        time(replayed.start),
        time(replayed.end),
      ]),
  );
  const more = beyond.length > shown ? `... and ${beyond.length - shown} more\n` : '';
  return `${summary}${table}${more}`;
}
