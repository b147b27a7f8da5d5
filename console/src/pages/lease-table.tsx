import { Link } from 'wouter';
import type { ConsoleLeaseFragment } from '../api/generated/operations.ts';
import { formatDuration, formatEnum } from '../ui/format.ts';
import { Instant, StateBadge } from '../ui/parts.tsx';
import { type Column, Table } from '../ui/table.tsx';

export type LeaseRow = ConsoleLeaseFragment;

const finalStates: ReadonlySet<string> = new Set(['DONE', 'CANCELLED', 'REJECTED', 'REJECTED_BY_USER', 'FAILED']);

export function hasEnded({ state }: Pick<LeaseRow, 'state'>): boolean {
  return finalStates.has(state);
}

/** A name, or a stand-in for leases without one. */
export function leaseName({ name, number }: Pick<LeaseRow, 'name' | 'number'>): string {
  return name ?? `Lease ${number}`;
}

/** The number of a lease, as a link to its page. */
export function LeaseLink({ number }: Pick<LeaseRow, 'number'>) {
  return <Link href={`/leases/${number}`}>{number}</Link>;
}

const columns: readonly Column<LeaseRow>[] = [
  { header: 'Number', kind: 'number', cell: ({ number }) => <LeaseLink number={number} /> },
  { header: 'Name', kind: 'text', cell: ({ name }) => name ?? <span className="muted">unnamed</span> },
  { header: 'State', cell: ({ state }) => <StateBadge state={state} /> },
  { header: 'Type', cell: ({ type }) => formatEnum(type) },
  { header: 'Start', cell: (lease) => <Start lease={lease} /> },
  { header: 'Duration', cell: ({ requestedDuration }) => formatDuration(requestedDuration) },
  { header: 'Submitted', cell: ({ submittedAt }) => <Instant at={submittedAt} seconds={false} /> },
];

export function LeaseTable({ leases, label }: { leases: readonly LeaseRow[]; label: string }) {
  return <Table label={label} columns={columns} rows={leases} keyOf={({ id }) => id} />;
}

/** When it started or is planned to start; plans are marked. */
export function Start({ lease, seconds = false }: { lease: LeaseRow; seconds?: boolean }) {
  if (lease.actualStart) return <Instant at={lease.actualStart} seconds={seconds} />;
  if (!lease.estimatedStart) return <span className="muted">not planned</span>;
  return (
    <span title="Planned start">
      ~ <Instant at={lease.estimatedStart} seconds={seconds} />
    </span>
  );
}
