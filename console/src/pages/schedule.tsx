import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import {
  ConsoleChartNodesDocument,
  type ConsoleChartNodesQuery,
  type ConsoleMaintenanceFragment,
  ConsoleMaintenanceListDocument,
  type ConsoleMaintenanceListQuery,
  ConsoleScheduleDocument,
  type NodeState,
} from '../api/generated/operations.ts';
import { type ChartHandle, ScheduleChart } from '../chart/schedule-chart.tsx';
import { buildModel, type ChartNode, kindLabels, type ScheduleReservation } from '../chart/schedule-model.ts';
import { clampSpan, panTime, type Viewport, zoomTime } from '../chart/viewport.ts';
import { type Execute, useExecute, useSchedulerNow, useSession } from '../session/session.tsx';
import { formatEnum } from '../ui/format.ts';
import { Page, QueryState } from '../ui/parts.tsx';
import { useSettings } from '../ui/settings.tsx';

const hour = 3_600_000;
const spans: readonly (readonly [string, number])[] = [
  ['1 hour', hour],
  ['6 hours', 6 * hour],
  ['1 day', 24 * hour],
  ['1 week', 7 * 24 * hour],
];

/** The chart has come to rest when it has not moved for so long. */
const restMs = 200;

/**
 * The interval to read: whole steps of at least what is shown, and half a step on each side, so that panning and
 * zooming a little read nothing.
 */
function windowOf({ from, to }: Viewport): { readonly from: number; readonly to: number } {
  const step = 60_000 * 2 ** Math.ceil(Math.log2((to - from) / 60_000));
  return { from: Math.floor(from / step - 0.5) * step, to: Math.ceil(to / step + 0.5) * step };
}

const nodeStates: readonly NodeState[] = ['UP', 'DRAINING', 'DOWN'];
const noMaintenance: readonly ConsoleMaintenanceFragment[] = [];

export default function SchedulePage() {
  const execute = useExecute();
  const now = useSchedulerNow();
  const [, navigate] = useLocation();
  const { timeZone } = useSettings();
  const { viewer } = useSession();
  const [search, setSearch] = useSearchParams();
  const filter = search.get('find') ?? '';
  const project = search.get('project') ?? '';
  const state = search.get('node-state') ?? '';
  const filterBy = (name: string, value: string) => {
    const next = new URLSearchParams(search);
    if (value === '') next.delete(name);
    else next.set(name, value);
    setSearch(next, { replace: true });
  };
  const chart = useRef<ChartHandle>(null);
  const [initial] = useState<Viewport>(() => {
    const span = clampSpan(Number(search.get('span')));
    const from = Math.round(Date.parse(search.get('from') ?? '') || now() - span / 4);
    return { from, to: from + span, rowHeight: 26, scrollTop: 0 };
  });
  const [{ from, to }, setRead] = useState(() => windowOf(initial));
  // The chart moves by itself; the page renders when other data is needed, and when the chart has come to rest.
  const [atRest, setAtRest] = useState(initial);
  const restTimer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(restTimer.current), []);
  const onViewport = useCallback((viewport: Viewport) => {
    setRead((before) => {
      const next = windowOf(viewport);
      return next.from === before.from && next.to === before.to ? before : next;
    });
    clearTimeout(restTimer.current);
    restTimer.current = setTimeout(() => setAtRest(viewport), restMs);
  }, []);
  useEffect(() => {
    if (atRest === initial) return;
    const shown = { from: new Date(atRest.from).toISOString(), span: String(atRest.to - atRest.from) };
    // Not a navigation: what else the address says may have changed meanwhile.
    setSearch((current) => new URLSearchParams({ ...Object.fromEntries(current), ...shown }), {
      replace: true,
    });
  }, [atRest, initial, setSearch]);
  const change = (by: (viewport: Viewport) => Viewport) => chart.current?.change(by);

  const nodes = useQuery({
    queryKey: ['chart-nodes'],
    queryFn: ({ signal }) => readNodes(execute, signal),
  });

  const schedule = useQuery({
    queryKey: ['schedule', from, to],
    queryFn: async ({ signal }) => {
      const window = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
      const [{ schedule: found }, maintenance] = await Promise.all([
        execute(ConsoleScheduleDocument, window, signal),
        readMaintenance(execute, window, signal),
      ]);
      return { schedule: found, maintenance };
    },
    placeholderData: keepPreviousData,
    // Comparing thousands of reservations with those before takes longer than drawing them.
    structuralSharing: false,
    // A window that is no longer seen may hold thousands of them.
    gcTime: 10_000,
  });

  const reservations = schedule.data?.schedule?.reservations;
  const maintenance = schedule.data?.maintenance ?? noMaintenance;
  const shownNodes = useMemo(() => {
    const all = nodes.data ?? [];
    const needle = filter.toLowerCase();
    const inState = all.filter(({ state: found }) => state === '' || found === state);
    const matching = inState.filter(({ hostname }) => hostname.toLowerCase().includes(needle));
    return needle !== '' && matching.length > 0 ? matching : inState;
  }, [nodes.data, filter, state]);
  const shown = useMemo(
    () => (reservations ?? []).filter(({ leaseProject }) => project === '' || leaseProject === project),
    [reservations, project],
  );
  const model = useMemo(() => buildModel(shownNodes, shown, maintenance), [shownNodes, shown, maintenance]);
  const highlighted = useMemo(() => matchingLeases(filter, reservations ?? []), [filter, reservations]);

  return (
    <Page title="Schedule">
      <form className="filters" onSubmit={(event) => event.preventDefault()}>
        <label>
          <span>Find a lease or node</span>
          <input type="search" value={filter} onChange={(event) => filterBy('find', event.target.value)} />
        </label>
        {viewer.projects.length > 0 && (
          <label>
            <span>Project</span>
            <select value={project} onChange={(event) => filterBy('project', event.target.value)}>
              <option value="">All</option>
              {viewer.projects.map(({ id, name }) => (
                <option key={id}>{name}</option>
              ))}
            </select>
          </label>
        )}
        <label>
          <span>Node state</span>
          <select value={state} onChange={(event) => filterBy('node-state', event.target.value)}>
            <option value="">All</option>
            {nodeStates.map((each) => (
              <option key={each} value={each}>
                {formatEnum(each)}
              </option>
            ))}
          </select>
        </label>
        <fieldset className="buttons">
          <legend>Time shown</legend>
          {spans.map(([label, span]) => (
            <button
              type="button"
              key={label}
              aria-pressed={Math.abs(atRest.to - atRest.from - span) < span / 100}
              onClick={() =>
                change((current) => zoomTime(current, span / (current.to - current.from), now()))
              }
            >
              {label}
            </button>
          ))}
          <button
            type="button"
            onClick={() =>
              change((current) => panTime(current, now() - current.from - (current.to - current.from) / 4))
            }
          >
            Now
          </button>
        </fieldset>
        <span className="muted">Times in {timeZone}</span>
      </form>
      <QueryState
        isPending={nodes.isPending}
        error={nodes.data ? null : nodes.error}
        retry={() => void nodes.refetch()}
      >
        <ScheduleChart
          ref={chart}
          model={model}
          initial={() => initial}
          onViewport={onViewport}
          now={now}
          highlighted={highlighted}
          onOpenLease={(number) => navigate(`/leases/${number}`)}
        />
        {schedule.error && !schedule.data && (
          <p className="error" role="alert">
            {schedule.error.message}
          </p>
        )}
        {schedule.data?.schedule?.isComplete === false && (
          <p className="hint" role="status">
            Only the first {reservations?.length} reservations of this interval are shown. Choose a shorter
            time.
          </p>
        )}
        <ul className="legend" aria-label="Kinds of reservations">
          {Object.entries(kindLabels).map(([kind, label]) => (
            <li key={kind}>
              <span className={`swatch mark-${kind.toLowerCase().replaceAll('_', '-')}`} aria-hidden="true" />{' '}
              {label}
            </li>
          ))}
        </ul>
      </QueryState>
    </Page>
  );
}

async function readNodes(execute: Execute, signal: AbortSignal): Promise<ChartNode[]> {
  const all: ChartNode[] = [];
  for (let after: string | null = null; ; ) {
    const { nodes }: ConsoleChartNodesQuery = await execute(
      ConsoleChartNodesDocument,
      { first: 100, after },
      signal,
    );
    all.push(...nodes.nodes);
    after = nodes.pageInfo.endCursor;
    if (!nodes.pageInfo.hasNextPage) return all;
  }
}

async function readMaintenance(
  execute: Execute,
  window: { readonly from: string; readonly to: string },
  signal: AbortSignal,
): Promise<ConsoleMaintenanceFragment[]> {
  const all: ConsoleMaintenanceFragment[] = [];
  for (let after: string | null = null; ; ) {
    const { maintenance }: ConsoleMaintenanceListQuery = await execute(
      ConsoleMaintenanceListDocument,
      { ...window, first: 100, after },
      signal,
    );
    all.push(...maintenance.nodes);
    after = maintenance.pageInfo.endCursor;
    if (!maintenance.pageInfo.hasNextPage) return all;
  }
}

/** The leases that the text finds by number, name or state; null when it finds none or is empty. */
function matchingLeases(
  text: string,
  reservations: readonly ScheduleReservation[],
): ReadonlySet<number> | null {
  const needle = text.trim().toLowerCase();
  if (needle === '') return null;
  const found = new Set<number>();
  for (const { leaseNumber, leaseName, leaseState } of reservations) {
    const matches =
      String(leaseNumber) === needle ||
      leaseName?.toLowerCase().includes(needle) ||
      leaseState.toLowerCase().startsWith(needle);
    if (matches) found.add(leaseNumber);
  }
  return found.size === 0 ? null : found;
}
