import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import {
  type ConsoleDisplacementFragment,
  type ConsoleNodeFragment,
  ConsoleNodeLeasesDocument,
  ConsoleSetNodeStateDocument,
  type NodeState,
  type SetNodeStateInput,
} from '../api/generated/operations.ts';
import { useExecute } from '../session/session.tsx';
import { assertDone, ConfirmButton } from '../ui/confirm.tsx';
import { QueryState, StateBadge } from '../ui/parts.tsx';
import { TextField, useTerms } from '../ui/term-fields.tsx';
import { LeaseLink, leaseName } from './lease-table.tsx';
import { DisplacementPreview } from './plan-preview.tsx';

/** Drain, mark down, and put back into use, each after a dry run; for operators. */
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
            Nothing new starts on the node. What runs there goes on to its end; what is planned there moves to other
            nodes where that is possible.
          </p>
          <LeasesOnNode node={node} />
        </SetState>
      )}
      {node.state !== 'DOWN' && (
        <SetState node={node} state="DOWN" label="Mark down" confirmLabel="Mark node down" tone="danger">
          <p>
            The machines on the node are lost. Best-effort leases are planned anew; other leases that run there fail.
          </p>
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
  const { terms, change, reset } = useTerms(`set-node-${node.number}-${state}`, { reason: '' });
  const reason = terms.reason.trim();
  const input: SetNodeStateInput = { id: node.id, state };
  const set = async (wanted: SetNodeStateInput, signal?: AbortSignal) =>
    (await execute(ConsoleSetNodeStateDocument, { input: wanted }, signal)).setNodeState;
  return (
    <ConfirmButton
      label={label}
      hiddenLabel={node.hostname}
      title={`${confirmLabel.replace('node', node.hostname)}?`}
      confirmLabel={confirmLabel}
      cancelLabel="Go back"
      tone={tone}
      dryRun={{
        name: 'node-state',
        input,
        ask: (asked: SetNodeStateInput, signal) => set({ ...asked, dryRun: true }, signal),
        show: (plan: ConsoleDisplacementFragment) => <DisplacementPreview plan={plan} />,
      }}
      action={async () => {
        assertDone((await set(reason === '' ? input : { ...input, reason })).userErrors);
        reset();
      }}
    >
      {children}
      <TextField label="Reason (optional)" value={terms.reason} onChange={(changed) => change({ reason: changed })} />
    </ConfirmButton>
  );
}

/** The leases that run or are planned on a node. Draining displaces none that run: they hold the node to their ends. */
function LeasesOnNode({ node }: { node: ConsoleNodeFragment }) {
  const execute = useExecute();
  const query = useQuery({
    queryKey: ['node-leases', node.id],
    queryFn: ({ signal }) => execute(ConsoleNodeLeasesDocument, { node: node.id }, signal),
  });
  const leases = query.data?.leases;
  return (
    <QueryState isPending={query.isPending} error={query.data ? null : query.error} retry={() => void query.refetch()}>
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
