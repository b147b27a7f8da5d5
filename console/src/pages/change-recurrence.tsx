import {
  type ConsoleRecurrenceDetailQuery,
  ConsoleUpdateRecurrenceDocument,
  type UpdateRecurrenceInput,
} from '../api/generated/operations.ts';
import { useExecute } from '../session/session.tsx';
import { assertDone, ConfirmButton } from '../ui/confirm.tsx';
import { Field } from '../ui/field.tsx';
import { exactDuration, toIsoDuration } from '../ui/format.ts';
import { useStoredState } from '../ui/stored-state.ts';
import { toLocalInput } from '../ui/zones.ts';

export type RecurrenceDetail = Extract<
  NonNullable<ConsoleRecurrenceDetailQuery['node']>,
  { readonly rule: string }
>;

interface Terms {
  readonly name: string;
  readonly duration: string;
  /** On the wall clock of the recurrence. */
  readonly start: string;
}

/** Changes the occurrences from one on that has not started. */
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
  const storageKey = `change-recurrence-${recurrence.number}-${occurrence.occurrence}`;
  const [typed, setTyped, forget] = useStoredState<Partial<Terms>>(storageKey, () => ({}));
  const terms = { ...current, ...typed };
  const change = (changes: Partial<Terms>) => setTyped({ ...typed, ...changes });
  const duration = toIsoDuration(terms.duration);
  const input: UpdateRecurrenceInput = {
    id: recurrence.id,
    from: occurrence.occurrence,
    ...(terms.name.trim() === current.name ? {} : { name: terms.name.trim() }),
    ...(terms.duration === current.duration || duration === null ? {} : { duration }),
    ...(terms.start === current.start ? {} : { start: terms.start }),
  };
  return (
    <ConfirmButton
      label="Change from here"
      hiddenLabel={`occurrence ${occurrence.occurrence}`}
      title={`Change from occurrence ${occurrence.occurrence} on`}
      confirmLabel="Change occurrences"
      cancelLabel="Leave them"
      tone="primary"
      action={async () => {
        if (duration === null) throw new Error(`“${terms.duration}” is not a duration.`);
        assertDone((await execute(ConsoleUpdateRecurrenceDocument, { input })).updateRecurrence.userErrors);
        setTyped({});
        forget();
      }}
    >
      <Field label="Name of leases that are still to be made">
        {(control) => (
          <input
            {...control}
            maxLength={200}
            value={terms.name}
            onChange={(event) => change({ name: event.target.value })}
          />
        )}
      </Field>
      <Field
        label={`Start of occurrence ${occurrence.occurrence} (${timeZone})`}
        hint="Those after it move by as much."
      >
        {(control) => (
          <input
            {...control}
            type="datetime-local"
            value={terms.start}
            onChange={(event) => change({ start: event.target.value })}
          />
        )}
      </Field>
      <Field
        label="Duration"
        error={duration === null ? `“${terms.duration}” is not a duration. Examples: 90m, 1h 30m, 2d.` : null}
      >
        {(control) => (
          <input
            {...control}
            value={terms.duration}
            onChange={(event) => change({ duration: event.target.value })}
          />
        )}
      </Field>
      <p className="hint">
        Occurrence {occurrence.occurrence} and all after it change, or none: when one of them cannot be had,
        the server says why and nothing changes.
      </p>
    </ConfirmButton>
  );
}
