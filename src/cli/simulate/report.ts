import type { LeaseState, LeaseType } from '../../core/index.ts';
import type { Distribution } from '../../simulation/summary.ts';
import { type Column, formatTable } from '../table.ts';
import { plain, wrap } from '../text.ts';
import type { RunReport } from './run.ts';

const typeNames: Readonly<Record<LeaseType, string>> = {
  BEST_EFFORT: 'best effort',
  ADVANCE_RESERVATION: 'advance reservation',
  IMMEDIATE: 'immediate',
  DEADLINE: 'deadline',
};
/** In the order of their columns; other states follow them. */
const firstStates: readonly LeaseState[] = ['DONE', 'REJECTED', 'CANCELLED', 'FAILED'];

/** What a run came to, for people. */
export function formatReport(
  { summary, perRun, refused, seconds }: RunReport,
  how: 'simulated' | 'replayed',
  width: number,
): string {
  const { trace, nodes, leases, end, waitingTime, turnaround, suspendedTime, boundedSlowdown } = summary;
  const { utilization, goodput, makespan, requeues, lostVmTime } = summary;
  const heading = `${plain(trace ?? 'Trace')}: ${count(leases)} leases on ${count(nodes)} nodes, ${span(end)} ${how} in ${seconds.toFixed(2)} s`;
  const parts = [
    `${wrap(heading, width).join('\n')}\n`,
    outcomes(summary.outcomes, width),
    formatTable(
      [{ title: 'best effort, done' }, ...percentileColumns],
      [
        ['waiting time', ...figures(waitingTime, span)],
        ['turnaround', ...figures(turnaround, span)],
        ['suspended', ...figures(suspendedTime, span)],
        ['bounded slowdown', ...figures(boundedSlowdown, (value) => value.toFixed(2))],
      ],
      width,
    ),
    [
      `utilization  ${percent(utilization)}`,
      `goodput      ${percent(goodput)}`,
      `makespan     ${span(makespan)}`,
      `requeues     ${count(requeues)}${requeues === 0 ? '' : ` (${span(lostVmTime)} of VM time lost)`}`,
      '',
    ].join('\n'),
  ];
  const operations = Object.entries(summary.reservations).filter(([kind]) => kind !== 'VM' && kind !== 'SHUTDOWN');
  if (operations.length > 0) {
    const list = operations.map(
      ([kind, n]) => `${count(n)} ${kind.toLowerCase().replace('_', ' ')}${n === 1 ? '' : 's'}`,
    );
    parts.push(`${wrap(`operations   ${list.join(', ')}`, width).join('\n             ')}\n`);
  }
  if (refused.length > 0) {
    parts.push(
      formatTable(
        [right('line'), right('at'), { title: 'refused command' }, { title: '' }],
        refused.map(({ line, at, code, message }) => [String(line), span(at), String(code), message ?? '']),
        width,
      ),
    );
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

function outcomes(byType: RunReport['summary']['outcomes'], width: number): string {
  const types = Object.keys(typeNames).filter((type) => byType[type as LeaseType] !== undefined) as LeaseType[];
  const seen = new Set(types.flatMap((type) => Object.keys(byType[type] ?? {}) as LeaseState[]));
  const states = [...new Set([...firstStates, ...seen])];
  const numbers = (of: readonly LeaseType[]) =>
    states.map((state) => of.reduce((sum, type) => sum + (byType[type]?.[state] ?? 0), 0));
  const row = (title: string, of: readonly LeaseType[]) => {
    const cells = numbers(of);
    return [title, count(cells.reduce((sum, n) => sum + n, 0)), ...cells.map(count)];
  };
  const rows = types.map((type) => row(typeNames[type], [type]));
  if (types.length > 1) rows.push(row('all', types));
  const titles = states.map((state) => right(state.toLowerCase().replace(/_/g, ' '), droppedState(state)));
  return formatTable([{ title: 'leases' }, right('total'), ...titles], rows, width);
}

/** Rejections stay longest of what may be left out. */
function droppedState(state: LeaseState): number | undefined {
  if (state === 'DONE') return undefined;
  return state === 'REJECTED' ? 1 : 2;
}

function figures(distribution: Distribution | null, format: (value: number) => string): string[] {
  if (distribution === null) return ['-', '-', '-', '-', '-', '-'];
  const { mean, p50, p90, p95, p99, max } = distribution;
  return [mean, p50, p90, p95, p99, max].map(format);
}

function right(title: string, drop?: number): Column {
  return { title, align: 'right', ...(drop === undefined ? {} : { drop }) };
}

const percentileColumns: readonly Column[] = [
  right('mean'),
  right('50 %', 1),
  right('90 %', 3),
  right('95 %', 2),
  right('99 %', 4),
  right('max'),
];

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
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
