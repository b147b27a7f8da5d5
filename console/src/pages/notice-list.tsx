import type { ConsoleNoticeFragment, NoticeKind } from '../api/generated/operations.ts';
import { Instant, Sentence } from '../ui/parts.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { LeaseLink } from './lease-table.tsx';
import { NodeLink } from './node-table.tsx';

export const noticeLabels: Readonly<Partial<Record<NoticeKind, string>>> = {
  LEASE_ENDS_SOON: 'Ends soon',
  LEASE_PREEMPTED: 'Preempted',
  LEASE_DISPLACED: 'Displaced',
  LEASE_MOVED: 'Moved',
  LEASE_LATE: 'Late',
  LEASE_FAILED: 'Failed',
  NODE_DOWN: 'Node down',
  NODE_UP: 'Node up',
  MAINTENANCE_SOON: 'Maintenance soon',
};

const tones: Readonly<Partial<Record<NoticeKind, string>>> = {
  LEASE_FAILED: 'bad',
  NODE_DOWN: 'bad',
  NODE_UP: 'good',
  LEASE_PREEMPTED: 'suspended',
  LEASE_DISPLACED: 'suspended',
  LEASE_LATE: 'suspended',
};

const columns: readonly Column<ConsoleNoticeFragment>[] = [
  { header: 'Time', cell: ({ at }) => <Instant at={at} /> },
  {
    header: 'Kind',
    cell: ({ kind }) => <span className={`badge ${tones[kind] ?? 'neutral'}`}>{noticeLabels[kind] ?? 'Other'}</span>,
  },
  { header: 'Notice', kind: 'text', cell: ({ message }) => <Sentence text={message} /> },
  {
    header: 'About',
    kind: 'text',
    cell: ({ lease, node }) => (
      <>
        {lease && (
          <>
            lease <LeaseLink number={lease.number} /> {lease.name}
          </>
        )}
        {node && <NodeLink node={node} />}
      </>
    ),
  },
];

/** Notices, newest first; given oldest first, as the API lists them. */
export function NoticeTable({ notices, label }: { notices: readonly ConsoleNoticeFragment[]; label: string }) {
  return <Table label={label} columns={columns} rows={[...notices].reverse()} keyOf={({ id }) => id} />;
}
