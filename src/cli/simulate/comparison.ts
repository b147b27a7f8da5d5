import type { MatrixRun } from '../../config/index.ts';
import type { LeaseState, LeaseType } from '../../core/index.ts';
import { formatTable } from '../table.ts';
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
}

const fixed = (digits: number) => (value: number) => value.toFixed(digits);

const MEASURES: readonly Measure[] = [
  { title: 'profile', of: ({ run }) => run.profile },
  { title: 'trace', of: ({ run }) => run.attributes.tracefile ?? '' },
  {
    title: 'injection',
    of: ({ run }) => (run.injection === null ? '' : (run.attributes.injectfile ?? '')),
  },
  { title: 'leases', of: ({ report }) => report.summary.leases },
  { title: 'best effort done', of: (run) => outcome(run, 'BEST_EFFORT', 'DONE') },
  { title: 'AR done', of: (run) => outcome(run, 'ADVANCE_RESERVATION', 'DONE') },
  { title: 'AR rejected', of: (run) => outcome(run, 'ADVANCE_RESERVATION', 'REJECTED') },
  { title: 'mean wait', of: ({ report }) => report.summary.waitingTime?.mean ?? null, show: span },
  { title: '95 % wait', of: ({ report }) => report.summary.waitingTime?.p95 ?? null, show: span },
  {
    title: 'mean slowdown',
    of: ({ report }) => report.summary.boundedSlowdown?.mean ?? null,
    show: fixed(2),
  },
  { title: 'utilization %', of: ({ report }) => report.summary.utilization * 100, show: fixed(2) },
  { title: 'makespan', of: ({ report }) => report.summary.makespan, show: span },
];

function outcome({ report }: FinishedRun, type: LeaseType, state: LeaseState): number {
  return report.summary.outcomes[type]?.[state] ?? 0;
}

/** The runs side by side, for people. */
export function comparisonTable(runs: readonly FinishedRun[], width: number): string {
  const columns = MEASURES.map(({ title }, i) => ({
    title,
    align: i < 3 ? ('left' as const) : ('right' as const),
  }));
  const rows = runs.map((run) =>
    MEASURES.map(({ of, show }) => {
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
  const lines = runs.map((run) => MEASURES.map(({ of }) => quote(String(of(run) ?? ''))));
  return [MEASURES.map(({ title }) => quote(title)), ...lines]
    .map((cells) => `${cells.join(',')}\n`)
    .join('');
}
