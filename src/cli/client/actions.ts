import { type Column, formatTable } from '../table.ts';
import type { ActionRowFragment } from './generated/operations.ts';
import { showInstant } from './show.ts';

const columns: readonly Column[] = [
  { title: 'ACTION' },
  { title: 'LEASE', align: 'right' },
  { title: 'STATE' },
  { title: 'AT (UTC)' },
  { title: 'TOOK', align: 'right', drop: 3 },
  { title: 'NODES', drop: 1 },
  { title: 'ATTEMPTS', align: 'right', drop: 2 },
  { title: 'ID' },
  { title: 'ERROR', below: true },
];

type Action = ActionRowFragment & { readonly lease?: { readonly number: number } | null };

/**
 * Without the column of leases for actions of one lease, and without that of nodes for those of one node. Unfinished
 * ones have their IDs, for `leasegraph recover`.
 */
export function actionTable(actions: readonly Action[], of: 'lease' | 'node' | null, width: number): string {
  const omitted = [
    of === 'lease' ? 'LEASE' : '',
    of === 'node' ? 'NODES' : '',
    actions.some(({ finishedAt }) => finishedAt === null) ? '' : 'ID',
  ];
  const shown = <T>(cells: readonly T[]): T[] =>
    cells.filter((_, index) => !omitted.includes(columns[index]?.title ?? ''));
  return formatTable(
    shown(columns),
    actions.map(({ id, kind, lease, state, at, nodes, attempts, error, finishedAt, startedAt }) =>
      shown([
        kind,
        String(lease?.number ?? ''),
        state,
        showInstant(at),
        startedAt && finishedAt ? `${((Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000).toFixed(1)} s` : '',
        nodes.map(({ hostname }) => hostname).join(' '),
        String(attempts),
        finishedAt === null ? id : '',
        error ?? '',
      ]),
    ),
    width,
  );
}
