import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import {
  type CancelRecurrenceInput,
  ConsoleCancelRecurrenceDocument,
  type ConsoleEndingFragment,
  ConsoleRecurrenceDetailDocument,
} from '../api/generated/operations.ts';
import { useExecute, useMayChange } from '../session/session.tsx';
import { assertDone, ConfirmButton } from '../ui/confirm.tsx';
import { formatDuration, formatEnum } from '../ui/format.ts';
import { Card, Instant, Page, QueryState, Sentence, StateBadge } from '../ui/parts.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { ChangeRecurrence, type RecurrenceDetail } from './change-recurrence.tsx';
import { LeaseLink, LeaseTable } from './lease-table.tsx';
import { EndingPreview } from './plan-preview.tsx';
import { describeRule } from './recurrence-rule.ts';
import { RecurrenceBadge } from './recurrences.tsx';

type Occurrence = RecurrenceDetail['next'][number];

/** A recurrence: its terms, upcoming and past occurrences. */
export default function RecurrencePage({ id }: { id: string }) {
  const execute = useExecute();
  const mayChangeOf = useMayChange();
  const query = useQuery({
    queryKey: ['recurrence', id],
    queryFn: ({ signal }) => execute(ConsoleRecurrenceDetailDocument, { id }, signal),
  });
  const node = query.data?.node;
  // Of another type, the node has no fields here.
  const recurrence = node && 'rule' in node ? (node as RecurrenceDetail) : null;
  const mayChange = recurrence !== null && mayChangeOf(recurrence);
  if (query.data && recurrence === null) {
    return (
      <Page title="Recurrence not found">
        <p>
          There is no such recurrence, or you may not see it. <Link href="/recurrences">Show all recurrences</Link>.
        </p>
      </Page>
    );
  }
  return (
    <Page
      title={recurrence ? `Recurrence ${recurrence.number}` : 'Recurrence'}
      actions={
        recurrence?.state === 'ACTIVE' &&
        mayChange && <CancelRecurrence recurrence={recurrence} label="Cancel recurrence" />
      }
    >
      <QueryState
        isPending={query.isPending}
        error={query.data ? null : query.error}
        retry={() => void query.refetch()}
      >
        {recurrence && <Details recurrence={recurrence} mayChange={mayChange} />}
      </QueryState>
    </Page>
  );
}

function Details({ recurrence, mayChange }: { recurrence: RecurrenceDetail; mayChange: boolean }) {
  const [first] = recurrence.machines;
  const columns: readonly Column<Occurrence>[] = [
    { header: 'Occurrence', kind: 'number', cell: ({ occurrence }) => occurrence },
    { header: 'Start', cell: ({ start }) => <Instant at={start} seconds={false} /> },
    { header: 'End', cell: ({ end }) => <Instant at={end} seconds={false} /> },
    {
      header: 'Lease',
      cell: ({ lease }) =>
        lease ? (
          <>
            <LeaseLink number={lease.number} /> <StateBadge state={lease.state} />
          </>
        ) : (
          <span className="muted">not made yet</span>
        ),
    },
    ...(mayChange
      ? [
          {
            header: 'Actions',
            kind: 'actions' as const,
            cell: (occurrence: Occurrence) => (
              <div className="actions">
                <ChangeRecurrence recurrence={recurrence} occurrence={occurrence} />
                <CancelRecurrence recurrence={recurrence} label="Cancel from here" from={occurrence.occurrence} />
              </div>
            ),
          },
        ]
      : []),
  ];
  return (
    <div className="cards">
      <Card title="Terms">
        <dl className="facts">
          <dt>State</dt>
          <dd>
            <RecurrenceBadge state={recurrence.state} />
          </dd>
          <dt>Name</dt>
          <dd>{recurrence.name ?? <span className="muted">unnamed</span>}</dd>
          <dt>Recurs</dt>
          <dd>
            {describeRule(recurrence.rule)}
            <p className="hint">
              <code>{recurrence.rule}</code>
            </p>
          </dd>
          <dt>First start</dt>
          <dd>
            {recurrence.firstStart.replace('T', ', ')} ({recurrence.timeZone})
          </dd>
          <dt>Duration</dt>
          <dd>{formatDuration(recurrence.duration)}</dd>
          <dt>Machines</dt>
          <dd>
            {recurrence.machines.length}
            {first && `, with ${first.capacity.map(({ type, amount }) => `${type} ${amount}`).join(', ')}`}
          </dd>
          {recurrence.owner && (
            <>
              <dt>Owner</dt>
              <dd>
                {recurrence.owner.name}
                {recurrence.project ? `, project ${recurrence.project.name}` : ''}
              </dd>
            </>
          )}
          <dt>Collisions</dt>
          <dd>{formatEnum(recurrence.collisions)}</dd>
        </dl>
      </Card>
      <Card title="Skipped">
        {recurrence.skipped.length === 0 ? (
          <p className="muted">No occurrence was skipped.</p>
        ) : (
          <ul className="plain">
            {recurrence.skipped.map(({ occurrence, start, reason }) => (
              <li key={occurrence}>
                <Instant at={start} seconds={false} />: <Sentence text={reason.message} />
              </li>
            ))}
          </ul>
        )}
      </Card>
      <Card title="Occurrences to come" wide>
        {recurrence.next.length === 0 ? (
          <p className="muted">No occurrence is to come.</p>
        ) : (
          <Table
            label="List of occurrences to come"
            columns={columns}
            rows={recurrence.next}
            keyOf={({ occurrence }) => occurrence}
          />
        )}
      </Card>
      <Card title={`Leases (${recurrence.leases.totalCount})`} wide>
        {recurrence.leases.nodes.length === 0 ? (
          <p className="muted">No occurrence has become a lease yet.</p>
        ) : (
          <LeaseTable leases={[...recurrence.leases.nodes].reverse()} label="Leases of the recurrence" />
        )}
      </Card>
    </div>
  );
}

function CancelRecurrence({
  recurrence,
  label,
  from = null,
}: {
  recurrence: RecurrenceDetail;
  label: string;
  from?: number | null;
}) {
  const execute = useExecute();
  const input: CancelRecurrenceInput = { id: recurrence.id, from };
  const cancel = async (asked: CancelRecurrenceInput, signal?: AbortSignal) =>
    (await execute(ConsoleCancelRecurrenceDocument, { input: asked }, signal)).cancelRecurrence;
  return (
    <ConfirmButton
      label={label}
      {...(from === null ? {} : { hiddenLabel: `occurrence ${from}` })}
      title={from === null ? `Cancel recurrence ${recurrence.number}?` : `Cancel from occurrence ${from} on?`}
      confirmLabel="Cancel occurrences"
      dryRun={{
        name: 'cancel-recurrence',
        input,
        ask: (asked: CancelRecurrenceInput, signal) => cancel({ ...asked, dryRun: true }, signal),
        show: (plan: ConsoleEndingFragment) => <EndingPreview plan={plan} showsEnds />,
        isAdvisory: true,
      }}
      action={async () => assertDone((await cancel(input)).userErrors)}
    >
      <p>
        {from === null ? 'All occurrences that have not started' : `Occurrence ${from} and all after it`} are cancelled.
        What runs goes on. No other lease is displaced. This cannot be undone.
      </p>
    </ConfirmButton>
  );
}
