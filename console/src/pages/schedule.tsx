import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import {
  ConsoleNodesDocument,
  type ConsoleNodesQuery,
  ConsoleScheduleDocument,
} from '../api/generated/operations.ts';
import { ScheduleChart } from '../chart/schedule-chart.tsx';
import { buildModel, kindLabels, type ScheduleReservation } from '../chart/schedule-model.ts';
import { type Viewport, zoomTime } from '../chart/viewport.ts';
import { useExecute, useSchedulerNow } from '../session/session.tsx';
import { Page, QueryState } from '../ui/parts.tsx';
import { useSettings } from '../ui/settings.tsx';

const hour = 3_600_000;
const spans: readonly (readonly [string, number])[] = [
  ['1 hour', hour],
  ['6 hours', 6 * hour],
  ['1 day', 24 * hour],
  ['1 week', 7 * 24 * hour],
];

type NodeRow = ConsoleNodesQuery['nodes']['nodes'][number];

export default function SchedulePage() {
  const execute = useExecute();
  const now = useSchedulerNow();
  const [, navigate] = useLocation();
  const { timeZone } = useSettings();
  const [search, setSearch] = useSearchParams();
  const filter = search.get('find') ?? '';
  const [viewport, setViewport] = useState<Viewport>(() => {
    const span = Number(search.get('span')) || 6 * hour;
    const from = Date.parse(search.get('from') ?? '') || now() - span / 4;
    return { from, to: from + span, rowHeight: 26, scrollTop: 0 };
  });
  const onViewport = useCallback((change: (viewport: Viewport) => Viewport) => setViewport(change), []);

  const nodes = useQuery({
    queryKey: ['all-nodes'],
    queryFn: async ({ signal }) => {
      const all: NodeRow[] = [];
      for (let after: string | null = null; ; ) {
        const page: ConsoleNodesQuery = await execute(ConsoleNodesDocument, { first: 100, after }, signal);
        all.push(...page.nodes.nodes);
        after = page.nodes.pageInfo.endCursor;
        if (!page.nodes.pageInfo.hasNextPage) return all;
      }
    },
    staleTime: 60_000,
  });

  // Whole steps of the span, and one more on each side: panning a little reads nothing.
  const step = viewport.to - viewport.from;
  const from = Math.floor(viewport.from / step - 0.5) * step;
  const to = Math.ceil(viewport.to / step + 0.5) * step;
  const schedule = useQuery({
    queryKey: ['schedule', from, to],
    queryFn: ({ signal }) =>
      execute(
        ConsoleScheduleDocument,
        { from: new Date(from).toISOString(), to: new Date(to).toISOString() },
        signal,
      ),
    placeholderData: keepPreviousData,
  });

  const shownNodes = useMemo(() => {
    const all = nodes.data ?? [];
    const needle = filter.toLowerCase();
    const matching = all.filter(({ hostname }) => hostname.toLowerCase().includes(needle));
    return needle !== '' && matching.length > 0 ? matching : all;
  }, [nodes.data, filter]);
  const reservations = schedule.data?.schedule.reservations;
  const model = useMemo(() => buildModel(shownNodes, reservations ?? []), [shownNodes, reservations]);
  const highlighted = useMemo(() => matchingLeases(filter, reservations ?? []), [filter, reservations]);

  return (
    <Page title="Schedule">
      <form className="filters" onSubmit={(event) => event.preventDefault()}>
        <label>
          <span>Find a lease or node</span>
          <input
            type="search"
            value={filter}
            onChange={(event) =>
              setSearch(event.target.value === '' ? {} : { find: event.target.value }, { replace: true })
            }
          />
        </label>
        <fieldset className="buttons">
          <legend>Time shown</legend>
          {spans.map(([label, span]) => (
            <button
              type="button"
              key={label}
              aria-pressed={Math.abs(step - span) < span / 100}
              onClick={() =>
                setViewport((current) => zoomTime(current, span / (current.to - current.from), now()))
              }
            >
              {label}
            </button>
          ))}
          <button
            type="button"
            onClick={() =>
              setViewport((current) => {
                const span = current.to - current.from;
                const start = now() - span / 4;
                return { ...current, from: start, to: start + span };
              })
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
          model={model}
          viewport={viewport}
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
        {schedule.data?.schedule.isComplete === false && (
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
