import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import {
  type ConsoleNodeFragment,
  ConsoleNodeLeasesDocument,
  ConsoleSetNodeStateDocument,
  type NodeState,
} from '../api/generated/operations.ts';
import { useExecute } from '../session/session.tsx';
import { assertDone, ConfirmButton } from '../ui/confirm.tsx';
import { Field } from '../ui/field.tsx';
import { QueryState, StateBadge } from '../ui/parts.tsx';
import { LeaseLink, leaseName } from './lease-table.tsx';

/** Drain, mark down, and put back into use; for operators. */
export function NodeActions({ node }: { node: ConsoleNodeFragment }) {
  return (
    <div className="actions">
      {node.state !== 'UP' && (
        <SetState node={node} state="UP" label="Resume" confirmLabel="Resume node" tone="primary">
          <p>The scheduler uses the node again at once.</p>
        </SetState>
      )}
      {node.state === 'UP' && (
        <SetState node={node} state="DRAINING" label="Drain" confirmLabel="Drain node" tone="primary">
          <p>
            Nothing new starts on the node. What runs there goes on to its end; what is planned there moves to
            other nodes where that is possible.
          </p>
          <AffectedLeases node={node} />
        </SetState>
      )}
      {node.state !== 'DOWN' && (
        <SetState node={node} state="DOWN" label="Mark down" confirmLabel="Mark node down" tone="danger">
          <p>
            The machines on the node are lost. Best-effort leases are planned anew; other leases that run
            there fail.
          </p>
          <AffectedLeases node={node} />
        </SetState>
      )}
    </div>
  );
}

function SetState({
  node,
  state,
  label,
  confirmLabel,
  tone,
  children,
}: {
  node: ConsoleNodeFragment;
  state: NodeState;
  label: string;
  confirmLabel: string;
  tone: 'danger' | 'primary';
  children: ReactNode;
}) {
  const execute = useExecute();
  const [reason, setReason] = useState('');
  return (
    <ConfirmButton
      label={label}
      hiddenLabel={node.hostname}
      title={`${confirmLabel.replace('node', node.hostname)}?`}
      confirmLabel={confirmLabel}
      cancelLabel="Go back"
      tone={tone}
      action={async () => {
        const input = { id: node.id, state, ...(reason.trim() === '' ? {} : { reason: reason.trim() }) };
        assertDone((await execute(ConsoleSetNodeStateDocument, { input })).setNodeState.userErrors);
      }}
    >
      {children}
      <Field label="Reason (optional)">
        {(control) => (
          <input
            {...control}
            maxLength={200}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        )}
      </Field>
    </ConfirmButton>
  );
}

/** The leases that run or are planned on a node: what a change of its state may concern. */
function AffectedLeases({ node }: { node: ConsoleNodeFragment }) {
  const execute = useExecute();
  const query = useQuery({
    queryKey: ['node-leases', node.id],
    queryFn: ({ signal }) => execute(ConsoleNodeLeasesDocument, { node: node.id }, signal),
  });
  const leases = query.data?.leases;
  return (
    <QueryState
      isPending={query.isPending}
      error={query.data ? null : query.error}
      retry={() => void query.refetch()}
    >
      {leases?.totalCount === 0 ? (
        <p className="muted">No lease runs or is planned there.</p>
      ) : (
        <>
          <p>
            <strong>
              {leases?.totalCount === 1
                ? 'One lease runs or is planned'
                : `${leases?.totalCount} leases run or are planned`}
              there:
            </strong>
          </p>
          <ul className="plain">
            {leases?.nodes.map((lease) => (
              <li key={lease.number}>
                <LeaseLink number={lease.number} /> {leaseName(lease)} <StateBadge state={lease.state} />
              </li>
            ))}
          </ul>
        </>
      )}
    </QueryState>
  );
}
