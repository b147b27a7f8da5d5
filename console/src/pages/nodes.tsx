import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConsoleNodesDocument, type ConsoleNodesQuery } from '../api/generated/operations.ts';
import { useExecute } from '../session/session.tsx';
import { formatEnum } from '../ui/format.ts';
import { Page, Pager, QueryState } from '../ui/parts.tsx';
import { type Column, Table } from '../ui/table.tsx';

type NodeRow = ConsoleNodesQuery['nodes']['nodes'][number];

const pageSize = 100;

const columns: readonly Column<NodeRow>[] = [
  { header: 'Number', kind: 'number', cell: ({ number }) => number },
  { header: 'Host name', kind: 'text', cell: ({ hostname }) => hostname },
  { header: 'State', kind: 'text', cell: ({ state }) => formatEnum(state) },
  {
    header: 'Labels',
    kind: 'text',
    cell: ({ labels }) => labels.map(({ key, value }) => `${key}=${value}`).join(', '),
  },
  { header: 'Free now', cell: (node) => <Free node={node} /> },
];

export function NodesPage() {
  const execute = useExecute();
  /** Cursors of the pages before this one. */
  const [cursors, setCursors] = useState<readonly (string | null)[]>([null]);
  const after = cursors.at(-1) ?? null;
  const query = useQuery({
    queryKey: ['nodes', after],
    queryFn: ({ signal }) => execute(ConsoleNodesDocument, { first: pageSize, after }, signal),
    placeholderData: keepPreviousData,
  });
  const nodes = query.data?.nodes;
  return (
    <Page title="Nodes">
      <QueryState
        isPending={query.isPending}
        error={query.data ? null : query.error}
        retry={() => void query.refetch()}
        isEmpty={nodes?.nodes.length === 0}
        empty={<p>The site has no nodes. The configuration file lists them.</p>}
      >
        <Table label="List of nodes" columns={columns} rows={nodes?.nodes ?? []} keyOf={({ id }) => id} />
        <Pager
          total={nodes?.totalCount ?? 0}
          noun="node"
          hasPrevious={cursors.length > 1}
          hasNext={nodes?.pageInfo.hasNextPage ?? false}
          onPrevious={() => setCursors(cursors.slice(0, -1))}
          onNext={() => setCursors([...cursors, nodes?.pageInfo.endCursor ?? null])}
        />
      </QueryState>
    </Page>
  );
}

function Free({ node }: { node: NodeRow }) {
  const free = new Map(node.available.map(({ type, amount }) => [type, amount]));
  return (
    <div className="meters">
      {node.capacity.map(({ type, amount }) => (
        <label key={type} className="meter">
          <span>
            {type} {free.get(type) ?? 0} of {amount}
          </span>
          <meter min={0} max={Math.max(amount, 1)} value={free.get(type) ?? 0} />
        </label>
      ))}
    </div>
  );
}
