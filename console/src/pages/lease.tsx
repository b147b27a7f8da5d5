import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { Link } from 'wouter';
import { ConsoleLeaseDetailDocument, type ConsoleLeaseDetailQuery } from '../api/generated/operations.ts';
import { kindLabels } from '../chart/schedule-model.ts';
import { useExecute, useHasRole, useMayChange } from '../session/session.tsx';
import { formatDuration, formatEnum, formatMillis } from '../ui/format.ts';
import { Card, Instant, Page, QueryState, Sentence, StateBadge } from '../ui/parts.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { ActionOutput } from './action-output.tsx';
import { CancelLease, ChangeLease, DiscardLease, EndLease } from './change-lease.tsx';
import { hasEnded, leaseName, Start } from './lease-table.tsx';
import { LeaseTimeline } from './lease-timeline.tsx';
import { NodeLink } from './node-table.tsx';

type LeaseDetail = NonNullable<ConsoleLeaseDetailQuery['lease']>;

export function LeasePage({ number }: { number: number }) {
  const execute = useExecute();
  const mayRequest = useHasRole('USER');
  const mayChange = useMayChange();
  const isOperator = useHasRole('OPERATOR');
  const query = useQuery({
    queryKey: ['lease', number],
    queryFn: ({ signal }) => execute(ConsoleLeaseDetailDocument, { number }, signal),
    enabled: Number.isSafeInteger(number),
  });
  const lease = query.data?.lease;
  if (!Number.isSafeInteger(number) || lease === null) {
    return (
      <Page title="Lease not found">
        <p>
          There is no lease with this number, or you may not see it. <Link href="/leases">Show all leases</Link>.
        </p>
      </Page>
    );
  }
  return (
    <Page
      title={`Lease ${number}`}
      actions={
        lease && (
          <>
            {mayRequest && (
              <Link href={`/leases/new?from=${number}`} className="button">
                Request again
              </Link>
            )}
            {isOperator && lease.state === 'QUARANTINED' && <DiscardLease lease={lease} />}
            {mayChange(lease) && !hasEnded(lease) && lease.state !== 'QUARANTINED' && (
              <>
                <ChangeLease lease={lease} />
                {lease.state === 'ACTIVE' && <EndLease lease={lease} />}
                <CancelLease lease={lease} />
              </>
            )}
          </>
        )
      }
    >
      <QueryState
        isPending={query.isPending}
        error={query.data ? null : query.error}
        retry={() => void query.refetch()}
      >
        {lease && <Details lease={lease} />}
      </QueryState>
    </Page>
  );
}

const machineColumns: readonly Column<LeaseDetail['machines'][number]>[] = [
  { header: 'Machine', kind: 'number', cell: ({ index }) => index },
  {
    header: 'Capacity',
    cell: ({ capacity }) => capacity.map(({ type, amount }) => `${type} ${amount}`).join(', '),
  },
  {
    header: 'Node',
    cell: ({ node }) => (node ? <NodeLink node={node} /> : <span className="muted">none</span>),
  },
];

const maxHostnames = 3;

/** The first ones: each machine is listed with its node. */
function hostnames(nodes: readonly { readonly hostname: string }[]): string {
  const shown = nodes.slice(0, maxHostnames).map(({ hostname }) => hostname);
  const more = nodes.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

const reservationColumns: readonly Column<LeaseDetail['reservations']['nodes'][number]>[] = [
  { header: 'Kind', cell: ({ kind }) => kindLabels[kind] ?? formatEnum(kind) },
  { header: 'State', cell: ({ state }) => formatEnum(state) },
  { header: 'Start', cell: ({ start }) => <Instant at={start} /> },
  { header: 'End', cell: ({ end }) => <Instant at={end} /> },
  { header: 'Length', cell: ({ start, end }) => formatMillis(Date.parse(end) - Date.parse(start)) },
  { header: 'Nodes', kind: 'text', cell: ({ nodes }) => hostnames(nodes) },
];

const actionColumns: readonly Column<LeaseDetail['actions']['nodes'][number]>[] = [
  { header: 'Action', cell: ({ kind }) => formatEnum(kind) },
  { header: 'State', cell: ({ state }) => formatEnum(state) },
  { header: 'Told', cell: ({ at }) => <Instant at={at} /> },
  { header: 'Finished', cell: ({ finishedAt }) => <Instant at={finishedAt} /> },
  { header: 'Attempts', kind: 'number', cell: ({ attempts }) => attempts },
  { header: 'Nodes', kind: 'text', cell: ({ nodes }) => hostnames(nodes) },
  { header: 'Output', kind: 'text', cell: (action) => <ActionOutput action={action} /> },
];

function Details({ lease }: { lease: LeaseDetail }) {
  return (
    <div className="cards">
      <Card title="Lease">
        <dl className="facts">
          <dt>State</dt>
          <dd>
            <StateBadge state={lease.state} />
            {lease.stateReason && (
              <p className="hint">
                <Sentence text={lease.stateReason.message} />
              </p>
            )}
          </dd>
          {lease.waiting && <WaitingFacts waiting={lease.waiting} />}
          <dt>Name</dt>
          <dd>{leaseName(lease)}</dd>
          <dt>Type</dt>
          <dd>
            {formatEnum(lease.type)}
            {lease.preemptible ? ', preemptible' : ''}
          </dd>
          <dt>Submitted</dt>
          <dd>
            <Instant at={lease.submittedAt} />
          </dd>
          {lease.requestedStart && (
            <>
              <dt>Requested start</dt>
              <dd>
                <Instant at={lease.requestedStart} />
              </dd>
            </>
          )}
          {lease.deadline && (
            <>
              <dt>Deadline</dt>
              <dd>
                <Instant at={lease.deadline} />
              </dd>
            </>
          )}
          {(lease.owner || lease.project) && (
            <>
              <dt>Owner</dt>
              <dd>
                {lease.owner ? (
                  <Link href={`/leases?owner=${encodeURIComponent(lease.owner.name)}`}>{lease.owner.name}</Link>
                ) : (
                  'unknown'
                )}
                {lease.project ? `, project ${lease.project.name}` : ''}
              </dd>
            </>
          )}
          <dt>Start</dt>
          <dd>
            <Start lease={lease} seconds />
          </dd>
          {lease.endedAt && (
            <>
              <dt>End</dt>
              <dd>
                <Instant at={lease.endedAt} />
              </dd>
            </>
          )}
          {lease.estimatedEnd && !lease.endedAt && (
            <>
              <dt>Planned end</dt>
              <dd>
                ~ <Instant at={lease.estimatedEnd} />
              </dd>
            </>
          )}
          {lease.restarts > 0 && (
            <>
              <dt>Restarts</dt>
              <dd>
                {lease.restarts}, which lost {formatDuration(lease.lostDuration)} of running time
              </dd>
            </>
          )}
          {lease.recurrence && (
            <>
              <dt>Recurrence</dt>
              <dd>
                occurrence {lease.occurrence} of{' '}
                <Link href={`/recurrences/${encodeURIComponent(lease.recurrence.id)}`}>
                  recurrence {lease.recurrence.number}
                </Link>
              </dd>
            </>
          )}
          {lease.endNotice && lease.endNotice !== 'PT0S' && !lease.endedAt && (
            <>
              <dt>Notice before end</dt>
              <dd>{formatDuration(lease.endNotice)}</dd>
            </>
          )}
          <dt>Duration</dt>
          <dd>
            {formatDuration(lease.requestedDuration)}, of which it ran {formatDuration(lease.accumulatedDuration)}
          </dd>
          {lease.queuePosition !== null && (
            <>
              <dt>Queue position</dt>
              <dd>{lease.queuePosition}</dd>
            </>
          )}
          {lease.diskImage && (
            <>
              <dt>Disk image</dt>
              <dd>
                {lease.diskImage.name} ({lease.diskImage.sizeMb} MB)
              </dd>
            </>
          )}
        </dl>
      </Card>
      <Card title={`Machines (${lease.machines.length})`}>
        <Table
          label="Machines of the lease"
          columns={machineColumns}
          rows={lease.machines.slice(0, 200)}
          keyOf={({ index }) => index}
        />
        {lease.machines.length > 200 && <p className="muted">The first 200 machines are shown.</p>}
      </Card>
      <Card title="States over time" wide>
        <LeaseTimeline lease={lease} />
      </Card>
      <Card title="Reservations" wide>
        {lease.reservations.nodes.length === 0 ? (
          <p className="muted">Nothing is reserved for this lease.</p>
        ) : (
          <Table
            label="Reservations of the lease"
            columns={reservationColumns}
            rows={lease.reservations.nodes.filter(({ start, end }) => start !== end)}
            keyOf={({ id }) => id}
          />
        )}
        <Shortened list={lease.reservations} noun="reservations" />
      </Card>
      <Card title="Actions on hosts" wide>
        {lease.actions.nodes.length === 0 ? (
          <p className="muted">Hosts have not been told to do anything for this lease.</p>
        ) : (
          <Table
            label="Actions of the lease"
            columns={actionColumns}
            rows={[...lease.actions.nodes].reverse()}
            keyOf={({ id }) => id}
          />
        )}
        <Shortened list={lease.actions} noun="actions" />
      </Card>
      <Card title="History" wide>
        <ol className="history" reversed>
          {[...lease.events.nodes].reverse().map((event) => (
            <li key={event.sequence}>
              <Instant at={event.at} /> <StateBadge state={event.to} />
              {event.reason && (
                <span className="hint">
                  {' '}
                  <Sentence text={event.reason.message} />
                </span>
              )}
            </li>
          ))}
        </ol>
        <Shortened list={lease.events} noun="changes" />
      </Card>
    </div>
  );
}

/** Says that a list has more than what is shown. */
function Shortened({
  list,
  noun,
}: {
  list: { readonly totalCount: number; readonly nodes: readonly unknown[] };
  noun: string;
}) {
  const { totalCount, nodes } = list;
  if (totalCount <= nodes.length) return null;
  return (
    <p className="muted">
      The last {nodes.length} of {totalCount} {noun}.
    </p>
  );
}

function WaitingFacts({ waiting }: { waiting: NonNullable<LeaseDetail['waiting']> }) {
  return (
    <>
      <dt>Why it waits</dt>
      <dd>
        <Sentence text={waiting.message} />
        {waiting.blockedBy.length > 0 && (
          <p className="hint">
            Held by{' '}
            {waiting.blockedBy.map(({ number }, index) => (
              <Fragment key={number}>
                {index > 0 && ', '}
                <Link href={`/leases/${number}`}>lease {number}</Link>
              </Fragment>
            ))}
            .
          </p>
        )}
        {waiting.longestNow && (
          <p className="hint">A lease of at most {formatDuration(waiting.longestNow)} could start now.</p>
        )}
      </dd>
    </>
  );
}
