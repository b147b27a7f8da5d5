import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import {
  type ConsoleNodeFragment,
  ConsoleNodesDocument,
  type LabelInput,
  type NodeState,
} from '../api/generated/operations.ts';
import { useNodeChanges } from '../live/live.tsx';
import { useExecute, useHasRole } from '../session/session.tsx';
import { formatEnum } from '../ui/format.ts';
import { ListPager } from '../ui/list-pager.tsx';
import { Page, QueryState } from '../ui/parts.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { useCursors } from '../ui/use-cursors.ts';
import { MaintenanceCard, PlanMaintenance } from './maintenance.tsx';
import { NodeActions } from './node-actions.tsx';
import { nodeColumns } from './node-table.tsx';

const pageSize = 50;
const states: readonly NodeState[] = ['UP', 'DRAINING', 'DOWN'];

/** Null until a whole label has been typed. */
function labelOf(text: string): LabelInput | null {
  const [, key, value] = /^([^=]+)=(.+)$/.exec(text.trim()) ?? [];
  return key === undefined || value === undefined ? null : { key, value };
}

/** All nodes. The filters are in the address. */
export function NodesPage() {
  const execute = useExecute();
  const isOperator = useHasRole('OPERATOR');
  const [search, setSearch] = useSearchParams();
  const hostname = search.get('hostname') ?? '';
  const state = states.find((each) => each === search.get('state'));
  const labelText = search.get('label') ?? '';
  const label = labelOf(labelText);
  const pages = useCursors();
  const [selected, setSelected] = useState<ReadonlyMap<string, ConsoleNodeFragment>>(new Map());
  const after = pages.cursor;
  const filter = {
    ...(hostname === '' ? {} : { hostname }),
    ...(state === undefined ? {} : { states: [state] }),
    ...(label === null ? {} : { labels: [label] }),
  };
  useNodeChanges(null);
  const query = useQuery({
    queryKey: ['nodes', filter, after],
    queryFn: ({ signal }) => execute(ConsoleNodesDocument, { filter, first: pageSize, after }, signal),
    placeholderData: keepPreviousData,
  });
  const nodes = query.data?.nodes;
  const change = (name: string, value: string) => {
    const next = new URLSearchParams(search);
    if (value === '') next.delete(name);
    else next.set(name, value);
    pages.reset();
    setSearch(next, { replace: true });
  };
  const toggle = (node: ConsoleNodeFragment) => {
    const next = new Map(selected);
    if (!next.delete(node.id)) next.set(node.id, node);
    setSelected(next);
  };
  const columns: readonly Column<ConsoleNodeFragment>[] = isOperator
    ? [
        {
          header: 'Selected',
          kind: 'actions',
          cell: (node) => (
            <input
              type="checkbox"
              aria-label={`Select ${node.hostname}`}
              checked={selected.has(node.id)}
              onChange={() => toggle(node)}
            />
          ),
        },
        ...nodeColumns,
        { header: 'Actions', kind: 'actions', cell: (node) => <NodeActions node={node} /> },
      ]
    : nodeColumns;
  const filtered = Object.keys(filter).length > 0;
  return (
    <Page
      title="Nodes"
      actions={
        isOperator && <PlanMaintenance nodes={[...selected.values()]} onPlanned={() => setSelected(new Map())} />
      }
    >
      <form className="filters" onSubmit={(event) => event.preventDefault()}>
        <label>
          <span>Host name contains</span>
          <input type="search" value={hostname} onChange={(event) => change('hostname', event.target.value)} />
        </label>
        <label>
          <span>Label (key=value)</span>
          <input type="search" value={labelText} onChange={(event) => change('label', event.target.value)} />
        </label>
        <label>
          <span>State</span>
          <select value={state ?? ''} onChange={(event) => change('state', event.target.value)}>
            <option value="">All</option>
            {states.map((each) => (
              <option key={each} value={each}>
                {formatEnum(each)}
              </option>
            ))}
          </select>
        </label>
        {isOperator && (
          <p className="muted" role="status">
            {selected.size === 0 ? 'Select nodes to plan maintenance.' : `${selected.size} selected`}
          </p>
        )}
      </form>
      <QueryState
        isPending={query.isPending}
        error={query.data ? null : query.error}
        retry={() => void query.refetch()}
        isEmpty={nodes?.nodes.length === 0}
        empty={
          filtered ? (
            <p>No node matches these filters. Change or clear them.</p>
          ) : (
            <p>The site has no nodes. The configuration file lists them.</p>
          )
        }
      >
        <Table label="List of nodes" columns={columns} rows={nodes?.nodes ?? []} keyOf={({ id }) => id} />
        <ListPager list={nodes} noun="node" pages={pages} />
      </QueryState>
      <div className="cards after">
        <MaintenanceCard />
      </div>
    </Page>
  );
}
