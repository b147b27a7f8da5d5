import type { LeaseState, LeaseType } from '../../core/index.ts';
import type { Distribution } from '../../simulation/summary.ts';
import { formatTable } from '../table.ts';
import type { RunReport } from './run.ts';

const TYPES: Readonly<Record<LeaseType, string>> = {
  BEST_EFFORT: 'best effort',
  ADVANCE_RESERVATION: 'advance reservation',
  IMMEDIATE: 'immediate',
  DEADLINE: 'deadline',
};
/** In the order of their columns; other states follow them. */
const FIRST_STATES: readonly LeaseState[] = ['DONE', 'REJECTED', 'CANCELLED', 'FAILED'];

/** What a run came to, for people. */
export function formatReport({ summary, perRun, seconds }: RunReport, how = 'simulated'): string {
  const { trace, nodes, leases, end, waitingTime, boundedSlowdown, utilization, makespan } = summary;
  const parts = [
    `${trace ?? 'Trace'}: ${count(leases)} leases on ${count(nodes)} nodes, ${span(end)} ${how} in ${seconds.toFixed(2)} s\n`,
    outcomes(summary.outcomes),
    formatTable(
      [{ title: 'best effort, done' }, ...['mean', '50 %', '90 %', '95 %', '99 %', 'max'].map(right)],
      [
        ['waiting time', ...figures(waitingTime, span)],
        ['bounded slowdown', ...figures(boundedSlowdown, (value) => value.toFixed(2))],
      ],
    ),
    `utilization  ${(utilization * 100).toFixed(2)} %\nmakespan     ${span(makespan)}\n`,
  ];
  const operations = Object.entries(summary.reservations).filter(
    ([kind]) => kind !== 'VM' && kind !== 'SHUTDOWN',
  );
  if (operations.length > 0) {
    const list = operations.map(
      ([kind, n]) => `${count(n)} ${kind.toLowerCase().replace('_', ' ')}${n === 1 ? '' : 's'}`,
    );
    parts.push(`operations   ${list.join(', ')}\n`);
  }
  const statistics = Object.entries(perRun);
  if (statistics.length > 0)
    parts.push(
      formatTable(
        [{ title: 'probe' }, right('value')],
        statistics.map(([name, value]) => [name, String(value)]),
      ),
    );
  return parts.join('\n');
}

function outcomes(byType: RunReport['summary']['outcomes']): string {
  const types = Object.keys(TYPES).filter((type) => byType[type as LeaseType] !== undefined) as LeaseType[];
  const seen = new Set(types.flatMap((type) => Object.keys(byType[type] ?? {}) as LeaseState[]));
  const states = [...new Set([...FIRST_STATES, ...seen])];
  const numbers = (of: readonly LeaseType[]) =>
    states.map((state) => of.reduce((sum, type) => sum + (byType[type]?.[state] ?? 0), 0));
  const row = (title: string, of: readonly LeaseType[]) => {
    const cells = numbers(of);
    return [title, count(cells.reduce((sum, n) => sum + n, 0)), ...cells.map(count)];
  };
  const rows = types.map((type) => row(TYPES[type], [type]));
  if (types.length > 1) rows.push(row('all', types));
  const titles = states.map((state) => right(state.toLowerCase().replace(/_/g, ' ')));
  return formatTable([{ title: 'leases' }, right('total'), ...titles], rows);
}

function figures(distribution: Distribution | null, format: (value: number) => string): string[] {
  if (distribution === null) return ['-', '-', '-', '-', '-', '-'];
  const { mean, p50, p90, p95, p99, max } = distribution;
  return [mean, p50, p90, p95, p99, max].map(format);
}

function right(title: string): { title: string; align: 'right' } {
  return { title, align: 'right' };
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** Seconds as `1 d 02:03:04`. */
export function span(seconds: number): string {
  const whole = Math.round(seconds);
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const time = `${two((whole % 86_400) / 3600)}:${two((whole % 3600) / 60)}:${two(whole % 60)}`;
  const days = Math.floor(whole / 86_400);
  return days === 0 ? time : `${days} d ${time}`;
}
