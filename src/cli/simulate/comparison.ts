import type { MatrixRun } from '../../config/index.ts';
import type { LeaseState, LeaseType } from '../../core/index.ts';
import { type Column, formatTable } from '../table.ts';
import { span } from './report.ts';
import type { RunReport } from './run.ts';

export interface FinishedRun {
  readonly run: MatrixRun;
  readonly report: RunReport;
}

interface Measure {
  readonly title: string;
  of(run: FinishedRun): string | number | null;
  /** For people; the plain value where absent. */
  show?(value: number): string;
  /** As a column's. */
  readonly drop?: number;
}

const fixed = (digits: number) => (value: number) => value.toFixed(digits);

const measures: readonly Measure[] = [
  { title: 'profile', of: ({ run }) => run.profile },
  { title: 'trace', of: ({ run }) => run.attributes.tracefile ?? '' },
  {
    title: 'injection',
    of: ({ run }) => (run.injection === null ? '' : (run.attributes.injectfile ?? '')),
    drop: 1,
  },
  { title: 'leases', of: ({ report }) => report.summary.leases, drop: 7 },
  { title: 'best effort done', of: (run) => outcome(run, 'BEST_EFFORT', 'DONE'), drop: 9 },
  { title: 'AR done', of: (run) => outcome(run, 'ADVANCE_RESERVATION', 'DONE'), drop: 8 },
  { title: 'AR rejected', of: (run) => outcome(run, 'ADVANCE_RESERVATION', 'REJECTED'), drop: 6 },
  { title: 'mean wait', of: ({ report }) => report.summary.waitingTime?.mean ?? null, show: span },
  { title: '95 % wait', of: ({ report }) => report.summary.waitingTime?.p95 ?? null, show: span, drop: 12 },
  {
    title: 'mean turnaround',
    of: ({ report }) => report.summary.turnaround?.mean ?? null,
    show: span,
    drop: 10,
  },
  {
    title: 'mean bounded slowdown',
    of: ({ report }) => report.summary.boundedSlowdown?.mean ?? null,
    show: fixed(2),
    drop: 11,
  },
  {
    title: 'mean suspended',
    of: ({ report }) => report.summary.suspendedTime?.mean ?? null,
    show: span,
    drop: 13,
  },
  { title: 'requeues', of: ({ report }) => report.summary.requeues, drop: 5 },
  { title: 'lost VM time', of: ({ report }) => report.summary.lostVmTime, show: span, drop: 4 },
  { title: 'utilization %', of: ({ report }) => report.summary.utilization * 100, show: fixed(2), drop: 3 },
  { title: 'goodput %', of: ({ report }) => report.summary.goodput * 100, show: fixed(2), drop: 2 },
  { title: 'makespan', of: ({ report }) => report.summary.makespan, show: span },
];

function outcome({ report }: FinishedRun, type: LeaseType, state: LeaseState): number {
  return report.summary.outcomes[type]?.[state] ?? 0;
}

/** The runs side by side, for people. */
export function comparisonTable(runs: readonly FinishedRun[], width: number): string {
  const columns = measures.map(
    ({ title, drop }, i): Column => ({
      title,
      align: i < 3 ? 'left' : 'right',
      ...(drop === undefined ? {} : { drop }),
    }),
  );
  const rows = runs.map((run) =>
    measures.map(({ of, show }) => {
      const value = of(run);
      if (value === null) return '-';
      return typeof value === 'number' && show !== undefined ? show(value) : String(value);
    }),
  );
  return formatTable(columns, rows, width);
}

/** The same for programs: times in seconds, nothing rounded. */
export function comparisonCsv(runs: readonly FinishedRun[]): string {
  const quote = (text: string) => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
  const lines = runs.map((run) => measures.map(({ of }) => quote(String(of(run) ?? ''))));
  return [measures.map(({ title }) => quote(title)), ...lines].map((cells) => `${cells.join(',')}\n`).join('');
}
