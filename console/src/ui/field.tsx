import { type ReactNode, useId } from 'react';

export interface ControlProps {
  readonly id: string;
  readonly 'aria-invalid'?: boolean;
  readonly 'aria-describedby'?: string;
}

/** A label, its control, and an error or hint below. */
export function Field({
  label,
  error,
  hint,
  children,
}: {
  label: string;
  error?: string | null | undefined;
  hint?: ReactNode;
  children: (control: ControlProps) => ReactNode;
}) {
  const id = useId();
  const helpId = `${id}-help`;
  const help = error ?? hint;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        ...(error ? { 'aria-invalid': true } : {}),
        ...(help ? { 'aria-describedby': helpId } : {}),
      })}
      {help && (
        <p id={helpId} className={error ? 'error' : 'hint'}>
          {help}
        </p>
      )}
    </div>
  );
}
