import { Link } from 'wouter';
import type { ConsoleNodeFragment } from '../api/generated/operations.ts';
import { NodeStateBadge } from '../ui/parts.tsx';
import type { Column } from '../ui/table.tsx';

export function NodeLink({ node }: { node: { readonly number: number; readonly hostname: string } }) {
  return <Link href={`/nodes/${node.number}`}>{node.hostname}</Link>;
}

export const nodeColumns: readonly Column<ConsoleNodeFragment>[] = [
  { header: 'Number', kind: 'number', cell: ({ number }) => number },
  { header: 'Host name', kind: 'text', cell: (node) => <NodeLink node={node} /> },
  { header: 'State', cell: ({ state }) => <NodeStateBadge state={state} /> },
  {
    header: 'Labels',
    kind: 'short',
    cell: ({ labels }) => labels.map(({ key, value }) => `${key}=${value}`).join(', '),
  },
  { header: 'Free now', cell: (node) => <Free node={node} /> },
];

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
