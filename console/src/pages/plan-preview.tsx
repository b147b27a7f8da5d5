import type { ReactNode } from 'react';
import type { ConsolePlanFragment } from '../api/generated/operations.ts';
import { asSentence } from '../ui/format.ts';
import { Instant } from '../ui/parts.tsx';
import { LeaseLink, leaseName } from './lease-table.tsx';

/** What would happen, as a dry run tells. */
export function PlanPreview({ plan, children }: { plan: ConsolePlanFragment; children?: ReactNode }) {
  const hostnames = [...new Set(plan.machines.flatMap(({ node }) => (node ? [node.hostname] : [])))];
  const shown = hostnames.slice(0, 4).join(', ');
  const more = hostnames.length > 4 ? ` and ${hostnames.length - 4} more nodes` : '';
  return (
    <div className={plan.accepted ? 'preview' : 'preview refused'} role="status">
      {plan.accepted && plan.start && (
        <p>
          Would start <Instant at={plan.start} /> and end <Instant at={plan.end} />
          {hostnames.length > 0 && ` on ${shown}${more}`}.
        </p>
      )}
      {plan.accepted && !plan.start && (
        <p>Would wait. {asSentence(plan.reason?.message ?? 'No start can be planned yet')}</p>
      )}
      {!plan.accepted && (
        <p>
          Would be rejected. {plan.reason && asSentence(plan.reason.message)}
          {plan.firstPossibleStart && (
            <>
              {' '}
              It could first start <Instant at={plan.firstPossibleStart} />.
            </>
          )}
        </p>
      )}
      {plan.accepted && <Displaced leases={plan.displaces} />}
      {children}
    </div>
  );
}

/** The leases that lose their place. */
export function Displaced({
  leases,
  verb = 'Would displace',
}: {
  leases: readonly { readonly number: number; readonly name: string | null }[];
  verb?: string;
}) {
  if (leases.length === 0) return <p className="muted">No other lease is displaced.</p>;
  return (
    <div>
      <p>
        <strong>
          {verb} {leases.length === 1 ? 'one lease' : `${leases.length} leases`}:
        </strong>
      </p>
      <ul className="plain">
        {leases.slice(0, 10).map((lease) => (
          <li key={lease.number}>
            <LeaseLink number={lease.number} /> {leaseName(lease)}
          </li>
        ))}
      </ul>
      {leases.length > 10 && <p className="muted">and {leases.length - 10} more.</p>}
    </div>
  );
}
