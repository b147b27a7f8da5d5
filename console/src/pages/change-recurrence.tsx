import {
  type ConsoleRecurrenceDetailQuery,
  type ConsoleRecurrencePlanFragment,
  ConsoleUpdateRecurrenceDocument,
  type UpdateRecurrenceInput,
} from '../api/generated/operations.ts';
import { useExecute } from '../session/session.tsx';
import { assertDone, ConfirmButton } from '../ui/confirm.tsx';
import { exactDuration, toIsoDuration } from '../ui/format.ts';
import { durationError, InstantField, TextField, useTerms } from '../ui/term-fields.tsx';
import { toLocalInput } from '../ui/zones.ts';
import { RecurrencePreview } from './recurrence-preview.tsx';

export type RecurrenceDetail = Extract<NonNullable<ConsoleRecurrenceDetailQuery['node']>, { readonly rule: string }>;

interface Terms {
  readonly name: string;
  readonly duration: string;
  /** In the time zone of the recurrence. */
  readonly start: string;
}

/** Changes the occurrences from a given one that has not started. Shows the effects first. */
export function ChangeRecurrence({
  recurrence,
  occurrence,
}: {
  recurrence: RecurrenceDetail;
  occurrence: RecurrenceDetail['next'][number];
}) {
  const execute = useExecute();
  const { timeZone } = recurrence;
  const current: Terms = {
    name: recurrence.name ?? '',
    duration: exactDuration(recurrence.duration),
    start: toLocalInput(occurrence.start, timeZone),
  };
  const key = `change-recurrence-${recurrence.number}-${occurrence.occurrence}`;
  const { terms, change, reset } = useTerms(key, current);
  const duration = toIsoDuration(terms.duration);
  const errors = {
    start: terms.start === '' ? 'Enter a date and time.' : null,
    duration: durationError(terms.duration),
  };
  const isComplete = Object.values(errors).every((error) => error === null);
  const input: UpdateRecurrenceInput | null = isComplete
    ? {
        id: recurrence.id,
        from: occurrence.occurrence,
        ...(terms.name.trim() === current.name ? {} : { name: terms.name.trim() }),
        ...(terms.duration === current.duration ? {} : { duration }),
        ...(terms.start === current.start ? {} : { start: terms.start }),
      }
    : null;
  const changesNothing = input !== null && Object.keys(input).length === 2;
  const update = async (wanted: UpdateRecurrenceInput, signal?: AbortSignal) =>
    (await execute(ConsoleUpdateRecurrenceDocument, { input: wanted }, signal)).updateRecurrence;
  return (
    <ConfirmButton
      label="Change from here"
      hiddenLabel={`occurrence ${occurrence.occurrence}`}
      title={`Change from occurrence ${occurrence.occurrence} on`}
      confirmLabel="Change occurrences"
      cancelLabel="Leave them"
      tone="primary"
      dryRun={{
        name: 'update-recurrence',
        input: changesNothing ? null : input,
        ask: (asked: UpdateRecurrenceInput, signal) => update({ ...asked, dryRun: true }, signal),
        show: (plan: ConsoleRecurrencePlanFragment) => <RecurrencePreview plan={plan} isChange />,
      }}
      action={async () => {
        if (input === null) return;
        assertDone((await update(input)).userErrors);
        reset();
      }}
    >
      <TextField
        label="Name of leases that are still to be made"
        value={terms.name}
        onChange={(name) => change({ name })}
      />
      <InstantField
        label={`Start of occurrence ${occurrence.occurrence}`}
        timeZone={timeZone}
        hint="Those after it move by as much."
        error={errors.start}
        value={terms.start}
        onChange={(start) => change({ start })}
      />
      <TextField
        label="Duration"
        error={errors.duration}
        value={terms.duration}
        onChange={(changed) => change({ duration: changed })}
      />
      <p className="hint">
        Occurrence {occurrence.occurrence} and all after it change, or none: when one of them is not available, the
        server says why and nothing changes.
      </p>
      {changesNothing && <p className="muted">Change a term to see what would happen.</p>}
    </ConfirmButton>
  );
}
