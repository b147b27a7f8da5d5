import type { ConsoleRecurrencePlanFragment } from '../api/generated/operations.ts';
import { Instant, Sentence } from '../ui/parts.tsx';
import { Displaced } from './plan-preview.tsx';

/** The dry run of a new recurrence or, with `isChange`, of a change of an existing one. */
export function RecurrencePreview({
  plan,
  isChange = false,
}: {
  plan: ConsoleRecurrencePlanFragment;
  isChange?: boolean;
}) {
  const { accepted, occurrences } = plan;
  const possible = occurrences.filter(({ reason }) => reason === null).length;
  const shown = occurrences.slice(0, 20);
  return (
    <div className={accepted ? 'preview' : 'preview refused'} role="status">
      <p>{isChange ? describeChange(plan) : describeNew(accepted, occurrences.length, possible)}</p>
      <ul className="plain">
        {shown.map(({ occurrence, start, end, reason, firstPossibleStart }) => (
          <li key={occurrence}>
            <span aria-hidden="true">{reason ? '✕' : '✓'}</span> <Instant at={start} seconds={false} />
            {isChange && !reason && (
              <>
                {' '}
                to <Instant at={end} seconds={false} />
              </>
            )}
            {reason && (
              <>
                : <Sentence text={reason.message} />
              </>
            )}
            {firstPossibleStart && (
              <>
                {' '}
                Possible from <Instant at={firstPossibleStart} seconds={false} />.
              </>
            )}
          </li>
        ))}
      </ul>
      {occurrences.length > shown.length && <p className="muted">and {occurrences.length - shown.length} more.</p>}
      {(accepted || !isChange) && <Displaced leases={plan.displaces} />}
    </div>
  );
}

function describeNew(accepted: boolean, decided: number, possible: number): string {
  const outcome = accepted ? 'Would be created.' : 'Would be refused.';
  return `${outcome} Of ${decided} occurrences that are decided now, ${possible} are available.`;
}

function describeChange({ accepted, occurrences }: ConsoleRecurrencePlanFragment): string {
  if (!accepted) return 'Would be refused. Nothing would change.';
  if (occurrences.length === 0) return 'Would be changed. No occurrence that changes is a lease yet.';
  const leases = occurrences.length === 1 ? 'one lease' : `${occurrences.length} leases`;
  return `Would be changed, with ${leases} of occurrences:`;
}
