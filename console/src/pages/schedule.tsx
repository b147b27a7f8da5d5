import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import {
  ConsoleChartNodesDocument,
  type ConsoleChartNodesQuery,
  ConsoleMaintenanceListDocument,
  ConsoleScheduleDocument,
  type NodeState,
} from '../api/generated/operations.ts';
import { type ChartHandle, ScheduleChart } from '../chart/schedule-chart.tsx';
import { noColumns } from '../chart/schedule-columns.ts';
import { buildModel, type ChartNode, kindLabels, matchingLeases } from '../chart/schedule-model.ts';
import { readSchedule } from '../chart/schedule-reader.ts';
import { clampSpan, panTime, type Viewport, zoomTime } from '../chart/viewport.ts';
import { type Execute, useExecute, useSchedulerNow, useSession, useWithToken } from '../session/session.tsx';
import { formatEnum } from '../ui/format.ts';
import { Page, QueryState } from '../ui/parts.tsx';
import { useSettings } from '../ui/settings.tsx';
import { StateFilter, statesOf } from './lease-filters.tsx';

const hour = 3_600_000;
const spans: readonly (readonly [string, number])[] = [
  ['1 hour', hour],
  ['6 hours', 6 * hour],
  ['1 day', 24 * hour],
  ['1 week', 7 * 24 * hour],
];

/** Time without movement after which the chart counts as at rest. */
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

export default function SchedulePage() {
  const execute = useExecute();
  const withToken = useWithToken();
  const now = useSchedulerNow();
  const [, navigate] = useLocation();
  const { timeZone } = useSettings();
  const { viewer } = useSession();
  const [search, setSearch] = useSearchParams();
  const filter = search.get('find') ?? '';
  const project = search.get('project') ?? '';
  const leaseState = search.get('lease-state') ?? '';
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
    // Not a navigation, since other parameters of the address may have changed meanwhile.
    setSearch((current) => new URLSearchParams({ ...Object.fromEntries(current), ...shown }), {
      replace: true,
    });
  }, [atRest, initial, setSearch]);
  const change = (by: (viewport: Viewport) => Viewport) => chart.current?.change(by);

  const nodes = useQuery({
    queryKey: ['chart-nodes'],
    queryFn: ({ signal }) => readNodes(execute, signal),
    // Nodes also change without an event.
    refetchInterval: 10_000,
  });

  const schedule = useQuery({
    queryKey: ['schedule', from, to, project, leaseState],
    queryFn: ({ signal }) => {
      const request = {
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
        filter: { project: project || null, states: statesOf(leaseState) },
        schedule: ConsoleScheduleDocument.toString(),
        maintenance: ConsoleMaintenanceListDocument.toString(),
      };
      return withToken((token) => readSchedule({ token, ...request }, signal));
    },
    placeholderData: keepPreviousData,
    // Comparing thousands of reservations with those before takes longer than drawing them.
    structuralSharing: false,
    // A window that is no longer visible may hold thousands of reservations.
    gcTime: 10_000,
  });

  const columns = schedule.data ?? noColumns;
  const shownNodes = useMemo(() => {
    const all = nodes.data ?? [];
    const needle = filter.toLowerCase();
    const inState = all.filter(({ state: found }) => state === '' || found === state);
    const matching = inState.filter(({ hostname }) => hostname.toLowerCase().includes(needle));
    return needle !== '' && matching.length > 0 ? matching : inState;
  }, [nodes.data, filter, state]);
  const model = useMemo(() => buildModel(shownNodes, columns), [shownNodes, columns]);
  const isEmpty = schedule.isSuccess && !schedule.isPlaceholderData && columns.bars.start.length === 0;
  const nothing =
    project === '' && leaseState === ''
      ? 'Nothing ran or is planned in this time. Choose a longer one, or request a lease.'
      : 'Nothing with these filters ran or is planned in this time. Choose a longer one, or clear them.';
  const noNode = nodes.data !== undefined && shownNodes.length === 0;
  const notice = noNode ? 'No node is in this state. Choose another.' : isEmpty ? nothing : null;
  const highlighted = useMemo(() => matchingLeases(filter, columns), [filter, columns]);

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
        <StateFilter label="Lease state" value={leaseState} onChange={(value) => filterBy('lease-state', value)} />
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
              onClick={() => change((current) => zoomTime(current, span / (current.to - current.from), now()))}
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
          notice={notice}
          onOpenLease={(number) => navigate(`/leases/${number}`)}
        />
        {schedule.error && !schedule.data && (
          <p className="error" role="alert">
            {schedule.error.message}
          </p>
        )}
        {!columns.isComplete && (
          <p className="hint" role="status">
            Only the first {columns.reservations} reservations of this interval are shown. Choose a shorter time.
          </p>
        )}
        <ul className="legend" aria-label="Kinds of reservations">
          {Object.entries(kindLabels).map(([kind, label]) => (
            <li key={kind}>
              <span className={`swatch mark-${kind.toLowerCase().replaceAll('_', '-')}`} aria-hidden="true" /> {label}
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
    const { nodes }: ConsoleChartNodesQuery = await execute(ConsoleChartNodesDocument, { first: 100, after }, signal);
    all.push(...nodes.nodes);
    after = nodes.pageInfo.endCursor;
    if (!nodes.pageInfo.hasNextPage) return all;
  }
}
