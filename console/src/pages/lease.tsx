import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import {
  ConsoleCancelLeaseDocument,
  ConsoleLeaseDetailDocument,
  type ConsoleLeaseDetailQuery,
} from '../api/generated/operations.ts';
import { useExecute, useHasRole } from '../session/session.tsx';
import { formatDuration, formatEnum, formatMillis } from '../ui/format.ts';
import { Card, Dialog, Instant, Page, QueryState, ScrollArea, StateBadge } from '../ui/parts.tsx';
import { hasEnded, leaseName, Start } from './lease-table.tsx';

type LeaseDetail = NonNullable<ConsoleLeaseDetailQuery['lease']>;

export function LeasePage({ number }: { number: number }) {
  const execute = useExecute();
  const mayRequest = useHasRole('USER');
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
          There is no lease with this number, or you may not see it.{' '}
          <Link href="/leases">Show all leases</Link>.
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
            {mayRequest && !hasEnded(lease) && <CancelLease lease={lease} />}
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

function Details({ lease }: { lease: LeaseDetail }) {
  return (
    <div className="cards">
      <Card title="Lease">
        <dl className="facts">
          <dt>State</dt>
          <dd>
            <StateBadge state={lease.state} />
            {lease.stateReason && <p className="hint">{lease.stateReason.message}</p>}
          </dd>
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
                {lease.owner?.name ?? 'unknown'}
                {lease.project ? `, project ${lease.project.name}` : ''}
              </dd>
            </>
          )}
          <dt>Start</dt>
          <dd>
            <Start lease={lease} />
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
          <dt>Duration</dt>
          <dd>
            {formatDuration(lease.requestedDuration)}, of which it ran{' '}
            {formatDuration(lease.accumulatedDuration)}
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
        <ScrollArea label="Machines of the lease">
          <table>
            <thead>
              <tr>
                <th scope="col" className="number">
                  Machine
                </th>
                <th scope="col">Capacity</th>
                <th scope="col">Node</th>
              </tr>
            </thead>
            <tbody>
              {lease.machines.slice(0, 200).map((machine) => (
                <tr key={machine.index}>
                  <td className="number">{machine.index}</td>
                  <td>{machine.capacity.map(({ type, amount }) => `${type} ${amount}`).join(', ')}</td>
                  <td>{machine.node?.hostname ?? <span className="muted">none</span>}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollArea>
        {lease.machines.length > 200 && <p className="muted">The first 200 machines are shown.</p>}
      </Card>
      <Card title="Reservations" wide>
        {lease.reservations.nodes.length === 0 ? (
          <p className="muted">Nothing is reserved for this lease.</p>
        ) : (
          <ScrollArea label="Reservations of the lease">
            <table>
              <thead>
                <tr>
                  <th scope="col">Kind</th>
                  <th scope="col">State</th>
                  <th scope="col">Start</th>
                  <th scope="col">End</th>
                  <th scope="col">Length</th>
                  <th scope="col">Nodes</th>
                </tr>
              </thead>
              <tbody>
                {lease.reservations.nodes.map((reservation) => (
                  <tr key={reservation.id}>
                    <td>{formatEnum(reservation.kind)}</td>
                    <td>{formatEnum(reservation.state)}</td>
                    <td>
                      <Instant at={reservation.start} />
                    </td>
                    <td>
                      <Instant at={reservation.end} />
                    </td>
                    <td>{formatMillis(Date.parse(reservation.end) - Date.parse(reservation.start))}</td>
                    <td className="name">{reservation.nodes.map(({ hostname }) => hostname).join(', ')}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </ScrollArea>
        )}
      </Card>
      <Card title="History" wide>
        <ol className="history">
          {[...lease.events.nodes].reverse().map((event) => (
            <li key={event.sequence}>
              <Instant at={event.at} /> <StateBadge state={event.to} />
              {event.reason && <span className="hint"> {event.reason.message}</span>}
            </li>
          ))}
        </ol>
      </Card>
    </div>
  );
}

function CancelLease({ lease }: { lease: LeaseDetail }) {
  const execute = useExecute();
  const queries = useQueryClient();
  const [open, setOpen] = useState(false);
  const cancel = useMutation({
    mutationFn: async () => {
      const { cancelLease } = await execute(ConsoleCancelLeaseDocument, { id: lease.id });
      const [refusal] = cancelLease.userErrors;
      if (refusal) throw new Error(refusal.message);
    },
    onSuccess: () => {
      setOpen(false);
      void queries.invalidateQueries();
    },
  });
  return (
    <>
      <button type="button" className="danger" onClick={() => setOpen(true)}>
        Cancel lease
      </button>
      <Dialog title={`Cancel lease ${lease.number}?`} open={open} onClose={() => setOpen(false)}>
        <p>
          {leaseName(lease)} stops at once and its machines are removed. What runs on them is lost. This
          cannot be undone.
        </p>
        {cancel.error && (
          <p className="error" role="alert">
            {cancel.error.message}
          </p>
        )}
        <div className="dialog-actions">
          <button type="button" onClick={() => setOpen(false)}>
            Keep it
          </button>
          <button
            type="button"
            className="danger"
            disabled={cancel.isPending}
            onClick={() => cancel.mutate()}
          >
            Cancel lease
          </button>
        </div>
      </Dialog>
    </>
  );
}
