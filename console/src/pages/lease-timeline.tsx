import { useEffect, useState } from 'react';
import type { ConsoleLeaseDetailQuery, LeaseState } from '../api/generated/operations.ts';
import { useSchedulerNow } from '../session/session.tsx';
import { formatEnum, formatInstant, formatMillis } from '../ui/format.ts';
import { Instant, StateBadge, toneOf } from '../ui/parts.tsx';
import { useSettings } from '../ui/settings.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { type Row, type Span, stateRows } from './lease-states.ts';

type LeaseDetail = NonNullable<ConsoleLeaseDetailQuery['lease']>;

const width = 1_000;
const height = 20;
/** What took no time is seen as well. */
const minWidth = 1;
const refreshMs = 10_000;

/** When the lease was in which state, and will be: a row per state, so that no colour is needed to tell them apart. */
export function LeaseTimeline({ lease }: { lease: LeaseDetail }) {
  const { timeZone } = useSettings();
  const now = useRefreshed();
  const { from, to, rows } = stateRows(lease, now);
  const columns: readonly Column<Row>[] = [
    {
      header: 'State and time in it',
      kind: 'short',
      cell: ({ state, spans }) => (
        <div className="state-total">
          <StateBadge state={state} />
          {/* What has ended stays as it is. */}
          {(state !== lease.state || lease.endedAt === null) && <Total spans={spans} />}
        </div>
      ),
    },
    {
      header: 'Over time',
      kind: 'chart',
      cell: ({ state, spans }) => (
        <Track state={state} spans={spans} from={from} to={to} now={lease.endedAt === null ? now : null} />
      ),
    },
  ];
  return (
    <>
      <Table label="Time in each state" columns={columns} rows={rows} keyOf={({ state }) => state} />
      <p className="hint">
        From <Instant at={new Date(from).toISOString()} /> to <Instant at={new Date(to).toISOString()} /> ({timeZone}).{' '}
        {lease.endedAt === null && 'The line is now; an outline is the plan.'}
      </p>
    </>
  );
}

function Total({ spans }: { spans: readonly Span[] }) {
  const sum = (planned: boolean) =>
    spans.filter(({ isPlanned }) => isPlanned === planned).reduce((total, { start, end }) => total + end - start, 0);
  const [past, ahead] = [sum(false), sum(true)];
  const hasPast = spans.some(({ isPlanned }) => !isPlanned);
  return (
    <span>
      {hasPast && (past < 1_000 ? '< 1 s' : formatMillis(past))}
      {hasPast && ahead > 0 && ', '}
      {ahead > 0 && <span className="muted">{`~ ${formatMillis(ahead)} planned`}</span>}
    </span>
  );
}

function Track({
  state,
  spans,
  from,
  to,
  now,
}: {
  state: LeaseState;
  spans: readonly Span[];
  from: number;
  to: number;
  now: number | null;
}) {
  const { timeZone } = useSettings();
  const x = (at: number) => ((at - from) / Math.max(to - from, 1)) * width;
  const texts = spans.map(({ start, end, isPlanned }) => {
    const [first, last] = [start, end].map((at) => formatInstant(at, timeZone));
    return `${isPlanned ? 'planned ' : ''}${first} to ${last}`;
  });
  return (
    <svg
      className={`track ${toneOf(state)}`}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${formatEnum(state)}: ${texts.slice(0, 5).join('; ')}${texts.length > 5 ? '; and more' : ''}`}
    >
      <line className="axis-line" x1={0} x2={width} y1={height / 2} y2={height / 2} />
      {spans.map(({ start, end, isPlanned }, index) => (
        <rect
          key={`${start} ${isPlanned}`}
          className={isPlanned ? 'span planned' : 'span'}
          x={Math.min(x(start), width - minWidth)}
          y={3}
          width={Math.max(x(end) - x(start), minWidth)}
          height={height - 6}
        >
          <title>{texts[index]}</title>
        </rect>
      ))}
      {now !== null && <line className="now" x1={x(now)} x2={x(now)} y1={0} y2={height} />}
    </svg>
  );
}

/** The scheduler's time, now and then: what runs grows. */
function useRefreshed(): number {
  const now = useSchedulerNow();
  const [at, setAt] = useState(now);
  useEffect(() => {
    const timer = setInterval(() => setAt(now()), refreshMs);
    return () => clearInterval(timer);
  }, [now]);
  return Math.max(at, now());
}
