import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConsoleNodesDocument, type ConsoleNodesQuery } from '../api/generated/operations.ts';
import { useExecute } from '../session/session.tsx';
import { Page, Pager, QueryState, ScrollArea } from '../ui/parts.tsx';

type NodeRow = ConsoleNodesQuery['nodes']['nodes'][number];

const pageSize = 100;

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
        <ScrollArea label="Nodes">
          <table>
            <caption className="visually-hidden">Nodes and what is free on them now</caption>
            <thead>
              <tr>
                <th scope="col" className="number">
                  Number
                </th>
                <th scope="col">Host name</th>
                <th scope="col">Labels</th>
                <th scope="col">Free now</th>
              </tr>
            </thead>
            <tbody>
              {nodes?.nodes.map((node) => (
                <tr key={node.id}>
                  <td className="number">{node.number}</td>
                  <td className="name">{node.hostname}</td>
                  <td className="name">
                    {node.labels.map(({ key, value }) => `${key}=${value}`).join(', ')}
                  </td>
                  <td>
                    <Free node={node} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollArea>
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
