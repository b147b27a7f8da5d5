import { Link } from 'wouter';
import type { ConsoleNodeFragment } from '../api/generated/operations.ts';
import { asSentence } from '../ui/format.ts';
import { Instant, NodeStateBadge } from '../ui/parts.tsx';
import type { Column } from '../ui/table.tsx';

export function NodeLink({ node }: { node: { readonly number: number; readonly hostname: string } }) {
  return <Link href={`/nodes/${node.number}`}>{node.hostname}</Link>;
}

export const nodeColumns: readonly Column<ConsoleNodeFragment>[] = [
  { header: 'Number', kind: 'number', cell: ({ number }) => number },
  { header: 'Host name', kind: 'short', cell: (node) => <NodeLink node={node} /> },
  {
    header: 'State',
    kind: 'short',
    cell: ({ state, stateChange }) => (
      <>
        <NodeStateBadge state={state} />
        {stateChange && state !== 'UP' && <StateChange change={stateChange} />}
      </>
    ),
  },
  {
    header: 'Labels',
    kind: 'short',
    cell: ({ labels }) => labels.map(({ key, value }) => `${key}=${value}`).join(', '),
  },
  { header: 'Free now', cell: (node) => <Free node={node} /> },
];

const causes: Readonly<Record<NonNullable<ConsoleNodeFragment['stateChange']>['cause'], string>> = {
  HOST: 'its host stopped answering, or answers again',
  HOST_DISABLED: 'its host takes no new machines, or takes them again',
  OPERATOR: 'set by an operator',
  START_FAILED: 'a machine could not be started there',
};

/** Who set the state of a node, when, and why. */
export function StateChange({ change }: { change: NonNullable<ConsoleNodeFragment['stateChange']> }) {
  const { at, by, cause, reason } = change;
  return (
    <p className="hint">
      Since <Instant at={at} seconds={false} />: {by ? `set by ${by}` : causes[cause]}
      {reason ? `. ${asSentence(reason)}` : '.'}
    </p>
  );
}

export function Free({ node }: { node: ConsoleNodeFragment }) {
  const free = new Map(node.available.map(({ type, amount }) => [type, amount]));
  return (
    <div className="meters">
      {node.capacity.map(({ type, amount }) => (
        <label key={type} className="meter">
          <span>
            {type} {(free.get(type) ?? 0).toLocaleString('en')} of {amount.toLocaleString('en')}
          </span>
          <meter min={0} max={Math.max(amount, 1)} value={free.get(type) ?? 0} />
        </label>
      ))}
    </div>
  );
}
