/** Form fields for terms: texts, durations and instants. */
import type { ReactNode } from 'react';
import { Field } from './field.tsx';
import { toIsoDuration } from './format.ts';
import { useStoredState } from './stored-state.ts';

interface TermField {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error?: string | null | undefined;
  readonly hint?: ReactNode;
}

/** The error of a typed duration; null if it is valid. */
export function durationError(text: string): string | null {
  return toIsoDuration(text) === null ? `“${text}” is not a duration. Examples: 90m, 1h 30m, 2d, PT1H30M.` : null;
}

export function TextField({ label, value, onChange, error, hint }: TermField) {
  return (
    <Field label={label} error={error} hint={hint}>
      {(control) => (
        <input {...control} maxLength={200} value={value} onChange={(event) => onChange(event.target.value)} />
      )}
    </Field>
  );
}

/** The label names the time zone in which the instant is entered. */
export function InstantField({ label, timeZone, value, onChange, error, hint }: TermField & { timeZone: string }) {
  return (
    <Field label={`${label} (${timeZone})`} error={error} hint={hint}>
      {(control) => (
        <input {...control} type="datetime-local" value={value} onChange={(event) => onChange(event.target.value)} />
      )}
    </Field>
  );
}

/**
 * The edited terms of an existing object, stored in the tab under the key. Only edited fields are stored: the others
 * follow the object. `reset` discards the edits.
 */
export function useTerms<Terms extends object>(
  key: string,
  current: Terms,
): { readonly terms: Terms; readonly change: (changes: Partial<Terms>) => void; readonly reset: () => void } {
  const [typed, setTyped, forget] = useStoredState<Partial<Terms>>(key, () => ({}));
  return {
    terms: { ...current, ...typed },
    change: (changes) => setTyped({ ...typed, ...changes }),
    reset: () => {
      setTyped({});
      forget();
    },
  };
}
