import { Link } from 'wouter';
import type { ConsoleLeaseFragment } from '../api/generated/operations.ts';
import { formatDuration, formatEnum } from '../ui/format.ts';
import { Instant, ScrollArea, StateBadge } from '../ui/parts.tsx';

export type LeaseRow = ConsoleLeaseFragment;

const finalStates: ReadonlySet<string> = new Set([
  'DONE',
  'CANCELLED',
  'REJECTED',
  'REJECTED_BY_USER',
  'FAILED',
]);

export function hasEnded({ state }: Pick<LeaseRow, 'state'>): boolean {
  return finalStates.has(state);
}

/** A name, or a stand-in for leases without one. */
export function leaseName({ name, number }: Pick<LeaseRow, 'name' | 'number'>): string {
  return name ?? `Lease ${number}`;
}

export function LeaseTable({ leases, caption }: { leases: readonly LeaseRow[]; caption: string }) {
  return (
    <ScrollArea label={caption}>
      <table>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            <th scope="col" className="number">
              Number
            </th>
            <th scope="col">Name</th>
            <th scope="col">State</th>
            <th scope="col">Type</th>
            <th scope="col">Start</th>
            <th scope="col">Duration</th>
            <th scope="col">Submitted</th>
          </tr>
        </thead>
        <tbody>
          {leases.map((lease) => (
            <tr key={lease.id}>
              <td className="number">
                <Link href={`/leases/${lease.number}`}>{lease.number}</Link>
              </td>
              <td className="name">{lease.name ?? <span className="muted">unnamed</span>}</td>
              <td>
                <StateBadge state={lease.state} />
              </td>
              <td>{formatEnum(lease.type)}</td>
              <td>
                <Start lease={lease} />
              </td>
              <td>{formatDuration(lease.requestedDuration)}</td>
              <td>
                <Instant at={lease.submittedAt} seconds={false} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}

/** When it started or is planned to start; plans are marked. */
export function Start({ lease }: { lease: LeaseRow }) {
  if (lease.actualStart) return <Instant at={lease.actualStart} seconds={false} />;
  if (!lease.estimatedStart) return <span className="muted">not planned</span>;
  return (
    <span title="Planned start">
      ~ <Instant at={lease.estimatedStart} seconds={false} />
    </span>
  );
}
