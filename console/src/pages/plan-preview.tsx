import type {
  ConsoleDisplacementFragment,
  ConsoleEndingFragment,
  ConsolePlanFragment,
} from '../api/generated/operations.ts';
import { formatDuration } from '../ui/format.ts';
import { Instant, Sentence } from '../ui/parts.tsx';
import { LeaseLink, leaseName } from './lease-table.tsx';

/** The dry run of a request or, with `isChange`, of a change of an existing lease. */
export function PlanPreview({ plan, isChange = false }: { plan: ConsolePlanFragment; isChange?: boolean }) {
  const hostnames = [...new Set(plan.machines.flatMap(({ node }) => (node ? [node.hostname] : [])))];
  const shown = hostnames.slice(0, 4).join(', ');
  const more = hostnames.length > 4 ? ` and ${hostnames.length - 4} more nodes` : '';
  return (
    <div className={plan.accepted ? 'preview' : 'preview refused'} role="status">
      {plan.accepted && plan.start && (
        <p>
          {isChange ? 'Would run from ' : 'Would start '}
          <Instant at={plan.start} />
          {isChange ? ' to ' : ' and end '}
          <Instant at={plan.end} />
          {hostnames.length > 0 && ` on ${shown}${more}`}.
        </p>
      )}
      {plan.accepted && !plan.start && (
        <p>
          Would wait. <Sentence text={plan.reason?.message ?? 'No start can be planned yet'} />
        </p>
      )}
      {!plan.accepted && (
        <p>
          {isChange ? 'Would be refused. ' : 'Would be rejected. '}
          {plan.reason && <Sentence text={plan.reason.message} />}
          {plan.maxDuration && ` It could last ${formatDuration(plan.maxDuration)} at most.`}
          <FirstPossible at={plan.firstPossibleStart} />
        </p>
      )}
      {plan.accepted && <Displaced leases={plan.displaces} />}
    </div>
  );
}

/** The effects of a change of nodes on leases. */
export function DisplacementPreview({ plan }: { plan: ConsoleDisplacementFragment }) {
  return (
    <div className={plan.accepted ? 'preview' : 'preview refused'} role="status">
      {!plan.accepted && (
        <p>
          Would be refused. {plan.reason && <Sentence text={plan.reason.message} />}
          <FirstPossible at={plan.firstPossibleStart} />
        </p>
      )}
      {plan.accepted && <Displaced leases={plan.displaces} />}
      {plan.withoutPlace.length > 0 && (
        <Displaced leases={plan.withoutPlace} verb="Would fail, or lose the place that was promised:" />
      )}
    </div>
  );
}

/** The effects of ending leases. With `showsEnds`, it also names these leases. */
export function EndingPreview({
  plan: { ends, isComplete, sooner },
  showsEnds = false,
}: {
  plan: ConsoleEndingFragment;
  showsEnds?: boolean;
}) {
  return (
    <div className="preview" role="status">
      {showsEnds && ends.length === 0 && (
        <p>No occurrence is a lease yet, so none is cancelled; none is made any more.</p>
      )}
      {showsEnds && ends.length > 0 && (
        <NamedLeases
          title={`Would cancel ${ends.length === 1 ? 'one lease' : `${ends.length} leases`}:`}
          leases={ends}
        />
      )}
      {sooner.length === 0 ? (
        <p className="muted">No other lease would start earlier.</p>
      ) : (
        <>
          <p>
            <strong>{sooner.length === 1 ? 'One lease' : `${sooner.length} leases`} would start earlier:</strong>
          </p>
          <ul className="plain">
            {sooner.slice(0, maxShown).map(({ lease, plannedStart, start }) => (
              <li key={lease.number}>
                <LeaseLink number={lease.number} /> {leaseName(lease)}: <Instant at={start} />,{' '}
                {plannedStart === null ? (
                  'until now without a plan'
                ) : (
                  <>
                    planned for <Instant at={plannedStart} />
                  </>
                )}
              </li>
            ))}
          </ul>
          <More count={sooner.length - maxShown} />
        </>
      )}
      {!isComplete && <p className="muted">Only the first waiting leases were tried. More may start earlier.</p>}
    </div>
  );
}

function FirstPossible({ at }: { at: string | null }) {
  if (at === null) return null;
  return (
    <>
      {' '}
      It could first start <Instant at={at} />.
    </>
  );
}

/** The leases that lose their place. */
export function Displaced({
  leases,
  verb = `Would displace ${leases.length === 1 ? 'one lease' : `${leases.length} leases`}:`,
}: {
  leases: readonly { readonly number: number; readonly name: string | null }[];
  verb?: string;
}) {
  if (leases.length === 0) return <p className="muted">No other lease is displaced.</p>;
  return <NamedLeases title={verb} leases={leases} />;
}

const maxShown = 10;

function NamedLeases({
  title,
  leases,
}: {
  title: string;
  leases: readonly { readonly number: number; readonly name: string | null }[];
}) {
  return (
    <div>
      <p>
        <strong>{title}</strong>
      </p>
      <ul className="plain">
        {leases.slice(0, maxShown).map((lease) => (
          <li key={lease.number}>
            <LeaseLink number={lease.number} /> {leaseName(lease)}
          </li>
        ))}
      </ul>
      <More count={leases.length - maxShown} />
    </div>
  );
}

function More({ count }: { count: number }) {
  return count > 0 ? <p className="muted">and {count} more.</p> : null;
}
