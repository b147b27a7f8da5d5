import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { ConsoleNodeDetailDocument, type ConsoleNodeDetailQuery } from '../api/generated/operations.ts';
import { kindLabels } from '../chart/schedule-model.ts';
import { useNodeChanges } from '../live/live.tsx';
import { useExecute, useHasRole, useSchedulerNow } from '../session/session.tsx';
import { formatEnum, formatMillis } from '../ui/format.ts';
import { Card, Instant, NodeStateBadge, Page, QueryState } from '../ui/parts.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { LeaseLink } from './lease-table.tsx';
import { MaintenanceCard, PlanMaintenance } from './maintenance.tsx';
import { NodeActions } from './node-actions.tsx';
import { Free, StateChange } from './node-table.tsx';

type NodeDetail = ConsoleNodeDetailQuery['nodes']['nodes'][number];

const columns: readonly Column<NodeDetail['reservations']['nodes'][number]>[] = [
  { header: 'Lease', kind: 'number', cell: ({ lease }) => lease && <LeaseLink number={lease.number} /> },
  {
    header: 'Name',
    kind: 'text',
    cell: ({ lease }) => lease?.name ?? <span className="muted">{lease ? 'unnamed' : 'of others'}</span>,
  },
  { header: 'Kind', cell: ({ kind }) => kindLabels[kind] ?? formatEnum(kind) },
  { header: 'State', cell: ({ state }) => formatEnum(state) },
  { header: 'Start', cell: ({ start }) => <Instant at={start} /> },
  { header: 'End', cell: ({ end }) => <Instant at={end} /> },
  { header: 'Length', cell: ({ start, end }) => formatMillis(Date.parse(end) - Date.parse(start)) },
];

const actionColumns: readonly Column<NodeDetail['actions']['nodes'][number]>[] = [
  { header: 'Action', cell: ({ kind }) => formatEnum(kind) },
  { header: 'Lease', kind: 'number', cell: ({ lease }) => lease && <LeaseLink number={lease.number} /> },
  { header: 'State', cell: ({ state }) => formatEnum(state) },
  { header: 'Told', cell: ({ at }) => <Instant at={at} /> },
  { header: 'Finished', cell: ({ finishedAt }) => <Instant at={finishedAt} /> },
  { header: 'Error', kind: 'text', cell: ({ error }) => error && <span className="error">{error}</span> },
];

function Host({ host }: { host: NonNullable<NodeDetail['host']> }) {
  const { error, failures, lastAnswerAt, strayMachines, unreachableSince, unremovedMachines } = host;
  return (
    <>
      <dt>Host</dt>
      <dd>
        {unreachableSince ? (
          <span className="error">
            Has not answered since <Instant at={unreachableSince} /> ({failures}{' '}
            {failures === 1 ? 'failure' : 'failures'}){error ? `: ${error}` : ''}
          </span>
        ) : lastAnswerAt ? (
          <>
            Answered <Instant at={lastAnswerAt} />
          </>
        ) : (
          <span className="muted">has not answered yet</span>
        )}
        {unremovedMachines.map(({ leaseNumber, machine }) => (
          <p key={`${leaseNumber}/${machine}`} className="error">
            Machine {machine} of lease <LeaseLink number={leaseNumber} /> could not be removed.
          </p>
        ))}
        {strayMachines.map(({ isRemoved, leaseNumber, machine, since, status }) => (
          <p key={`${leaseNumber}/${machine}`}>
            Stray machine {machine} of lease {leaseNumber}: {formatEnum(status)}, since <Instant at={since} />
            {isRemoved ? ', being removed' : ''}.
          </p>
        ))}
      </dd>
    </>
  );
}

/** Current and upcoming reservations of a node, and the actions of operators. */
export default function NodePage({ number }: { number: number }) {
  const execute = useExecute();
  const now = useSchedulerNow();
  const isOperator = useHasRole('OPERATOR');
  const query = useQuery({
    queryKey: ['node', number],
    queryFn: ({ signal }) =>
      execute(ConsoleNodeDetailDocument, { number, from: new Date(now()).toISOString() }, signal),
    enabled: Number.isSafeInteger(number),
  });
  const node = query.data?.nodes.nodes[0];
  useNodeChanges(node?.id);
  if (!Number.isSafeInteger(number) || (query.data && !node)) {
    return (
      <Page title="Node not found">
        <p>
          The site has no node with this number. <Link href="/nodes">Show all nodes</Link>.
        </p>
      </Page>
    );
  }
  return (
    <Page
      title={node ? node.hostname : `Node ${number}`}
      actions={
        node &&
        isOperator && (
          <>
            <NodeActions node={node} />
            <PlanMaintenance nodes={[node]} />
          </>
        )
      }
    >
      <QueryState
        isPending={query.isPending}
        error={query.data ? null : query.error}
        retry={() => void query.refetch()}
      >
        {node && (
          <div className="cards">
            <Card title="Node">
              <dl className="facts">
                <dt>Number</dt>
                <dd>{node.number}</dd>
                <dt>State</dt>
                <dd>
                  <NodeStateBadge state={node.state} />
                  {node.stateChange && <StateChange change={node.stateChange} />}
                </dd>
                {node.host && <Host host={node.host} />}
                <dt>Labels</dt>
                <dd>
                  {node.labels.length === 0 ? (
                    <span className="muted">none</span>
                  ) : (
                    node.labels.map(({ key, value }) => `${key}=${value}`).join(', ')
                  )}
                </dd>
                <dt>Free now</dt>
                <dd>
                  <Free node={node} />
                </dd>
              </dl>
            </Card>
            <MaintenanceCard node={node.number} />
            <Card title="Now and planned" wide>
              <p>
                <Link
                  href={`/leases?node=${encodeURIComponent(node.id)}&hostname=${encodeURIComponent(node.hostname)}`}
                >
                  Leases on this node, also past ones
                </Link>
              </p>
              {node.reservations.nodes.length === 0 ? (
                <p className="muted">Nothing runs or is planned on this node.</p>
              ) : (
                <Table
                  label="Reservations of the node"
                  columns={columns}
                  rows={node.reservations.nodes.filter(({ start, end }) => start !== end)}
                  keyOf={({ id }) => id}
                />
              )}
              {node.reservations.totalCount > node.reservations.nodes.length && (
                <p className="muted">
                  The first {node.reservations.nodes.length} of {node.reservations.totalCount} reservations.
                </p>
              )}
            </Card>
            <Card title="What its host was told" wide>
              {node.actions.nodes.length === 0 ? (
                <p className="muted">The host has not been told to do anything for leases that you may see.</p>
              ) : (
                <Table
                  label="Actions on the node"
                  columns={actionColumns}
                  rows={[...node.actions.nodes].reverse()}
                  keyOf={({ id }) => id}
                />
              )}
            </Card>
          </div>
        )}
      </QueryState>
    </Page>
  );
}
