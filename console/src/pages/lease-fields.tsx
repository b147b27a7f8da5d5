import type { InputHTMLAttributes } from 'react';
import type { LeaseType } from '../api/generated/operations.ts';
import { useSession } from '../session/session.tsx';
import { Field } from '../ui/field.tsx';
import { formatEnum } from '../ui/format.ts';
import { useSettings } from '../ui/settings.tsx';
import type { FieldErrors, LeaseForm } from './lease-form.ts';

const types: readonly (readonly [LeaseType, string])[] = [
  ['BEST_EFFORT', 'Starts as soon as it fits; waits in the queue until then.'],
  ['ADVANCE_RESERVATION', 'Starts exactly at a time of your choice.'],
  ['IMMEDIATE', 'Starts now, or is rejected.'],
  ['DEADLINE', 'Starts at any time such that it ends by the deadline.'],
];

/** The fields of a lease request, each with its error. */
export function LeaseFields({
  form,
  errors,
  onChange,
}: {
  form: LeaseForm;
  errors: FieldErrors;
  onChange: (form: LeaseForm) => void;
}) {
  const { site, viewer } = useSession();
  const { timeZone } = useSettings();
  const text = (
    name: Exclude<keyof LeaseForm, 'amounts' | 'preemptible' | 'type'>,
    attributes: InputHTMLAttributes<HTMLInputElement> = {},
  ) => ({
    ...attributes,
    value: form[name],
    onChange: (event: { target: { value: string } }) => onChange({ ...form, [name]: event.target.value }),
  });
  return (
    <>
      <Field label="Type" error={errors.type} hint={types.find(([type]) => type === form.type)?.[1]}>
        {(control) => (
          <select
            {...control}
            value={form.type}
            onChange={(event) => {
              const type = event.target.value as LeaseType;
              onChange({ ...form, type, preemptible: type === 'BEST_EFFORT' });
            }}
          >
            {types.map(([type]) => (
              <option key={type} value={type}>
                {formatEnum(type)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Name (optional)" error={errors.name}>
        {(control) => <input {...control} {...text('name', { maxLength: 200 })} />}
      </Field>
      <Field label="Number of machines" error={errors.count}>
        {(control) => <input {...control} {...text('count', { inputMode: 'numeric' })} />}
      </Field>
      <fieldset>
        <legend>Each machine</legend>
        {site.resourceTypes.map((type) => (
          <Field label={type} key={type} error={errors[`amounts.${type}`]} hint={hints[type]}>
            {(control) => (
              <input
                {...control}
                inputMode="numeric"
                value={form.amounts[type] ?? ''}
                onChange={(event) => onChange({ ...form, amounts: { ...form.amounts, [type]: event.target.value } })}
              />
            )}
          </Field>
        ))}
      </fieldset>
      <Field label="Duration" error={errors.duration} hint="Examples: 90m, 1h 30m, 2d, PT1H30M.">
        {(control) => <input {...control} {...text('duration', { placeholder: '1h 30m' })} />}
      </Field>
      {(form.type === 'ADVANCE_RESERVATION' || form.type === 'DEADLINE') && (
        <Field
          label={form.type === 'DEADLINE' ? `Earliest start (${timeZone}, optional)` : `Start (${timeZone})`}
          error={errors.start}
        >
          {(control) => <input {...control} {...text('start', { type: 'datetime-local' })} />}
        </Field>
      )}
      {form.type === 'DEADLINE' && (
        <Field label={`Deadline (${timeZone})`} error={errors.deadline}>
          {(control) => <input {...control} {...text('deadline', { type: 'datetime-local' })} />}
        </Field>
      )}
      {viewer.projects.length > 0 && (
        <Field label="Project" error={errors.project}>
          {(control) => (
            <select
              {...control}
              value={form.project}
              onChange={(event) => onChange({ ...form, project: event.target.value })}
            >
              <option value="">{viewer.projects.length === 1 ? 'Default' : 'Choose one…'}</option>
              {viewer.projects.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      <Field
        label="Notice before its end (optional)"
        error={errors.endNotice}
        hint="A duration such as 15m; 0 for no notice. Empty: the setting of the site."
      >
        {(control) => <input {...control} {...text('endNotice')} />}
      </Field>
      <label className="check">
        <input
          type="checkbox"
          checked={form.preemptible}
          onChange={(event) => onChange({ ...form, preemptible: event.target.checked })}
        />
        <span>May be preempted by leases of higher priority</span>
      </label>
      <details open={form.imageName !== '' || undefined}>
        <summary>Disk image</summary>
        <Field label="Image name" error={errors.imageName}>
          {(control) => <input {...control} {...text('imageName')} />}
        </Field>
        <Field label="Size in MB" error={errors.imageSizeMb}>
          {(control) => <input {...control} {...text('imageSizeMb', { inputMode: 'numeric' })} />}
        </Field>
      </details>
    </>
  );
}

const hints: Readonly<Record<string, string>> = { CPU: 'Percent of a core.', Memory: 'MB.' };
