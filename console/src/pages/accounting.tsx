import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useSearchParams } from 'wouter';
import {
  type AccountingGroup,
  ConsoleAccountingDocument,
  type ConsoleAccountingGroupFragment,
  type ConsoleAccountingQuery,
} from '../api/generated/operations.ts';
import { maxSeries, UsageChart } from '../chart/usage.tsx';
import { useExecute, useSchedulerNow, useSession } from '../session/session.tsx';
import { formatDuration } from '../ui/format.ts';
import { Card, Instant, Page, QueryState } from '../ui/parts.tsx';
import { useSettings } from '../ui/settings.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { toLocalInput } from '../ui/zones.ts';
import { toCsv } from './csv.ts';
import { LeaseLink } from './lease-table.tsx';

export type AccountingRow = ConsoleAccountingQuery['accounting'][number];

const day = 86_400_000;
const periods: Readonly<Record<string, { readonly label: string; readonly days: number; readonly steps: number }>> = {
  day: { label: 'Last 24 hours', days: 1, steps: 12 },
  week: { label: 'Last 7 days', days: 7, steps: 7 },
  month: { label: 'Last 30 days', days: 30, steps: 10 },
  year: { label: 'Last 365 days', days: 365, steps: 12 },
};
const groups: readonly (readonly [AccountingGroup, string])[] = [
  ['PROJECT', 'Project'],
  ['OWNER', 'Owner'],
  ['LEASE', 'Lease'],
];

/** What a row is about, in words. */
export function groupName({ project, owner, lease }: ConsoleAccountingGroupFragment): string {
  if (lease) return lease.name ? `${lease.number} ${lease.name}` : `Lease ${lease.number}`;
  return owner?.name ?? project?.name ?? 'No project';
}

function hoursOf(list: AccountingRow['used'], type: string): number {
  return list.find((each) => each.type === type)?.hours ?? 0;
}

const unitHints: Readonly<Record<string, string>> = {
  CPU: 'CPU is counted in percent of a core: one core for an hour is 100.',
  Memory: 'Memory is counted in MB: one MB for an hour is 1.',
};
const hours = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** What was requested, used and lost in a period, per project, owner or lease. */
export default function AccountingPage() {
  const execute = useExecute();
  const now = useSchedulerNow();
  const { site } = useSession();
  const [search, setSearch] = useSearchParams();
  const period = periods[search.get('period') ?? 'week'] ?? (periods.week as (typeof periods)[string]);
  const by = groups.find(([group]) => group === search.get('by'))?.[0] ?? 'PROJECT';
  const resource = search.get('resource') ?? site.resourceTypes[0] ?? 'CPU';
  const change = (name: string, value: string) => {
    const next = new URLSearchParams(search);
    next.set(name, value);
    setSearch(next, { replace: true });
  };

  const query = useQuery({
    queryKey: ['plan', 'accounting', period.days, by],
    queryFn: async ({ signal }) => {
      const to = Math.floor(now());
      const from = to - period.days * day;
      const length = (to - from) / period.steps;
      const variables = {
        ...{ from: new Date(from).toISOString(), to: new Date(to).toISOString(), by },
        step: `PT${length / 1_000}S`,
      };
      const { accounting, overTime } = await execute(ConsoleAccountingDocument, variables, signal);
      const steps = Array.from({ length: period.steps }, (_, index) => {
        const start = from + index * length;
        return { start, rows: overTime.filter((row) => Date.parse(row.start) === start) };
      });
      return { from, to, rows: accounting, steps };
    },
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
  const data = query.data;
  const rows = useMemo(
    () => [...(data?.rows ?? [])].sort((a, b) => hoursOf(b.used, resource) - hoursOf(a.used, resource)),
    [data, resource],
  );
  const columns: readonly Column<AccountingRow>[] = [
    {
      header: groups.find(([group]) => group === by)?.[1] ?? '',
      kind: 'text',
      cell: (row) =>
        row.lease ? (
          <>
            <LeaseLink number={row.lease.number} /> {row.lease.name}
          </>
        ) : (
          groupName(row)
        ),
    },
    { header: 'Leases', kind: 'number', cell: ({ leases }) => leases },
    { header: 'Requested', kind: 'number', cell: (row) => hours.format(hoursOf(row.requested, resource)) },
    { header: 'Used', kind: 'number', cell: (row) => hours.format(hoursOf(row.used, resource)) },
    { header: 'Lost', kind: 'number', cell: (row) => hours.format(hoursOf(row.lost, resource)) },
    { header: 'Preemptions', kind: 'number', cell: ({ preemptions }) => preemptions },
    { header: 'Waiting', kind: 'number', cell: ({ waiting }) => formatDuration(waiting) },
  ];
  return (
    <Page
      title="Accounting"
      actions={
        data &&
        rows.length > 0 && (
          <>
            <Download
              label="Download CSV"
              name="accounting"
              from={data.from}
              lines={() => csvOf(rows, site.resourceTypes)}
            />
            <Download
              label="Download CSV over time"
              name="accounting-over-time"
              from={data.from}
              lines={() => csvOverTime(data.steps, site.resourceTypes)}
            />
          </>
        )
      }
    >
      <form className="filters" onSubmit={(event) => event.preventDefault()}>
        <label>
          <span>Period</span>
          <select value={search.get('period') ?? 'week'} onChange={(event) => change('period', event.target.value)}>
            {Object.entries(periods).map(([key, { label }]) => (
              <option key={key} value={key}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>Per</span>
          <select value={by} onChange={(event) => change('by', event.target.value)}>
            {groups.map(([group, label]) => (
              <option key={group} value={group}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>Resource</span>
          <select value={resource} onChange={(event) => change('resource', event.target.value)}>
            {site.resourceTypes.map((type) => (
              <option key={type}>{type}</option>
            ))}
          </select>
        </label>
      </form>
      <QueryState
        isPending={query.isPending}
        error={data ? null : query.error}
        retry={() => void query.refetch()}
        isEmpty={rows.length === 0}
        empty={<p>No lease was requested or ran in this period. Choose a longer one.</p>}
      >
        {data && (
          <div className="cards">
            <Card title={`${resource} used over time`} wide>
              <UsageChart
                steps={data.steps.map(({ start, rows: found }) => ({
                  start,
                  values: new Map(found.map((row) => [groupName(row), hoursOf(row.used, resource)])),
                }))}
                names={rows.map(groupName)}
                to={data.to}
              />
              <StepTable steps={data.steps} names={rows.map(groupName)} resource={resource} />
            </Card>
            <Card title={`${resource} hours`} wide>
              {resource in unitHints && <p className="hint">{unitHints[resource]}</p>}
              <Table label="Accounting" columns={columns} rows={rows} keyOf={groupName} />
              <p className="hint">
                An hour of a resource is its amount, in its unit, held for an hour. Requested counts leases that were
                submitted in the period; used counts what ran in it.
              </p>
            </Card>
          </div>
        )}
      </QueryState>
    </Page>
  );
}

function csvOf(rows: readonly AccountingRow[], types: readonly string[]): (string | number)[][] {
  const header = [
    'group',
    'leases',
    ...types.flatMap((type) => [`${type} hours requested`, `${type} hours used`, `${type} hours lost`]),
    'preemptions',
    'waiting',
  ];
  const lines = rows.map((row) => [
    groupName(row),
    row.leases,
    ...types.flatMap((type) => [hoursOf(row.requested, type), hoursOf(row.used, type), hoursOf(row.lost, type)]),
    row.preemptions,
    row.waiting,
  ]);
  return [header, ...lines];
}

interface Step {
  readonly start: number;
  readonly rows: ConsoleAccountingQuery['overTime'];
}

/** One row per period and group with usage. */
function csvOverTime(steps: readonly Step[], types: readonly string[]): (string | number)[][] {
  const lines = steps.flatMap(({ start, rows }) =>
    rows.map((row) => [new Date(start).toISOString(), groupName(row), ...types.map((type) => hoursOf(row.used, type))]),
  );
  return [['start', 'group', ...types.map((type) => `${type} hours used`)], ...lines];
}

function Download({
  label,
  name,
  from,
  lines,
}: {
  label: string;
  /** Of the file, before its date. */
  name: string;
  from: number;
  lines: () => (string | number)[][];
}) {
  const { timeZone } = useSettings();
  const save = () => {
    const url = URL.createObjectURL(new Blob([toCsv(lines())], { type: 'text/csv' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = `${name}-since-${toLocalInput(from, timeZone).slice(0, 10)}.csv`;
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <button type="button" onClick={save}>
      {label}
    </button>
  );
}

/** The figures of the picture: one row per period, one column per main group. */
function StepTable({ steps, names, resource }: { steps: readonly Step[]; names: readonly string[]; resource: string }) {
  const { timeZone } = useSettings();
  const usedBy = ({ rows }: Step, name: string) =>
    rows.filter((row) => groupName(row) === name).reduce((sum, { used }) => sum + hoursOf(used, resource), 0);
  const columns: readonly Column<Step>[] = [
    {
      header: `From (${timeZone})`,
      cell: ({ start }) => <Instant at={new Date(start).toISOString()} seconds={false} />,
    },
    ...names.slice(0, maxSeries).map((name) => ({
      header: name,
      kind: 'number' as const,
      cell: (step: Step) => hours.format(usedBy(step, name)),
    })),
    {
      header: 'Together',
      kind: 'number',
      cell: ({ rows }) => hours.format(rows.reduce((sum, { used }) => sum + hoursOf(used, resource), 0)),
    },
  ];
  return (
    <details>
      <summary>As a table</summary>
      <Table label={`${resource} hours by period`} columns={columns} rows={steps} keyOf={({ start }) => start} />
    </details>
  );
}
