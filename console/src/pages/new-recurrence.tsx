import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useMemo } from 'react';
import { useLocation } from 'wouter';
import {
  ConsoleCreateRecurrenceDocument,
  ConsolePlanRecurrenceDocument,
  type CreateRecurrenceInput,
} from '../api/generated/operations.ts';
import { useExecute, useSchedulerNow, useSession } from '../session/session.tsx';
import { Field } from '../ui/field.tsx';
import { asSentence, formatEnum, toIsoDuration } from '../ui/format.ts';
import { Card, Page } from '../ui/parts.tsx';
import { useSettings } from '../ui/settings.tsx';
import { useStoredState } from '../ui/stored-state.ts';
import { durationError, InstantField, TextField } from '../ui/term-fields.tsx';
import { usePlan } from '../ui/use-plan.ts';
import { toLocalInput } from '../ui/zones.ts';
import { RecurrencePreview } from './recurrence-preview.tsx';
import { describeRule, type RuleForm, ruleOf, weekdays } from './recurrence-rule.ts';

interface RecurrenceForm extends RuleForm {
  readonly name: string;
  readonly machines: string;
  readonly amounts: Readonly<Record<string, string>>;
  readonly duration: string;
  readonly firstStart: string;
  readonly skip: boolean;
  readonly project: string;
}

const day = 86_400_000;

/** Null while something is missing. The server checks the rest. */
function inputOf(form: RecurrenceForm, timeZone: string): CreateRecurrenceInput | null {
  const duration = toIsoDuration(form.duration);
  const capacity = Object.entries(form.amounts)
    .filter(([, text]) => /^\d+$/.test(text.trim()))
    .map(([type, text]) => ({ type, amount: Number(text) }));
  const isComplete = /^[1-9]\d*$/.test(form.machines.trim()) && capacity.length > 0 && form.firstStart !== '';
  if (duration === null || !isComplete) return null;
  return {
    machines: [{ count: Number(form.machines), capacity }],
    duration,
    rule: ruleOf(form),
    timeZone,
    firstStart: form.firstStart,
    collisions: form.skip ? 'SKIP' : 'ALL_OR_NOTHING',
    ...(form.name.trim() === '' ? {} : { name: form.name.trim() }),
    ...(form.project === '' ? {} : { project: form.project }),
  };
}

export default function NewRecurrencePage() {
  const execute = useExecute();
  const now = useSchedulerNow();
  const { site, viewer } = useSession();
  const { timeZone } = useSettings();
  const [, navigate] = useLocation();
  const [form, setForm, forget] = useStoredState<RecurrenceForm>('new-recurrence', () => ({
    name: '',
    machines: '1',
    amounts: Object.fromEntries(site.resourceTypes.map((type) => [type, { CPU: '100', Memory: '1024' }[type] ?? ''])),
    duration: '1h',
    firstStart: `${toLocalInput(now() + day, timeZone).slice(0, 11)}09:00`,
    frequency: 'WEEKLY',
    interval: '1',
    days: [],
    count: '10',
    skip: false,
    project: '',
  }));
  const input = useMemo(() => inputOf(form, timeZone), [form, timeZone]);
  const plan = usePlan('recurrence', input, async (wanted, signal) => {
    const variables = { input: { ...wanted, dryRun: true } };
    return (await execute(ConsolePlanRecurrenceDocument, variables, signal)).createRecurrence;
  });
  const create = useMutation({
    mutationFn: async (wanted: CreateRecurrenceInput) =>
      (await execute(ConsoleCreateRecurrenceDocument, { input: wanted })).createRecurrence,
    onSuccess: ({ recurrence }) => {
      if (!recurrence) return;
      forget();
      navigate(`/recurrences/${encodeURIComponent(recurrence.id)}`);
    },
  });
  const change = (changes: Partial<RecurrenceForm>) => {
    create.reset();
    setForm({ ...form, ...changes });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (input) create.mutate(input);
  };
  const refusals = create.data?.userErrors ?? plan.data?.userErrors ?? [];
  const errorOf = (name: string) => refusals.find(({ path }) => path?.[1] === name)?.message;
  const placed = ['name', 'machines', 'duration', 'rule', 'firstStart', 'timeZone', 'project'];
  const others = refusals.filter(({ path }) => !placed.includes(path?.[1] ?? ''));
  return (
    <Page title="New recurrence">
      <div className="cards">
        <form className="card" onSubmit={submit}>
          <h2>Terms</h2>
          <TextField
            label="Name (optional)"
            error={errorOf('name')}
            value={form.name}
            onChange={(name) => change({ name })}
          />
          <Field label="Number of machines" error={errorOf('machines')}>
            {(control) => (
              <input
                {...control}
                required
                inputMode="numeric"
                value={form.machines}
                onChange={(event) => change({ machines: event.target.value })}
              />
            )}
          </Field>
          <fieldset>
            <legend>Each machine</legend>
            {site.resourceTypes.map((type) => (
              <Field label={type} key={type}>
                {(control) => (
                  <input
                    {...control}
                    inputMode="numeric"
                    value={form.amounts[type] ?? ''}
                    onChange={(event) => change({ amounts: { ...form.amounts, [type]: event.target.value } })}
                  />
                )}
              </Field>
            ))}
          </fieldset>
          <InstantField
            label="First start"
            timeZone={timeZone}
            error={errorOf('firstStart') ?? errorOf('timeZone')}
            hint="Its day must be one of the rule. The time stays the same when clocks change."
            value={form.firstStart}
            onChange={(firstStart) => change({ firstStart })}
          />
          <TextField
            label="Duration"
            error={form.duration === '' ? null : (durationError(form.duration) ?? errorOf('duration'))}
            hint="Examples: 90m, 1h 30m, 2d, PT1H30M."
            value={form.duration}
            onChange={(duration) => change({ duration })}
          />
          <RuleFields form={form} error={errorOf('rule')} onChange={change} />
          {viewer.projects.length > 0 && (
            <Field label="Project" error={errorOf('project')}>
              {(control) => (
                <select {...control} value={form.project} onChange={(event) => change({ project: event.target.value })}>
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
          <label className="check">
            <input type="checkbox" checked={form.skip} onChange={(event) => change({ skip: event.target.checked })} />
            <span>Skip occurrences that are not available, instead of refusing all</span>
          </label>
          {[...others.map(({ message }) => message), ...(create.error ? [create.error.message] : [])].map((message) => (
            <p className="error" role="alert" key={message}>
              {message}
            </p>
          ))}
          <button type="submit" className="primary" disabled={create.isPending || input === null}>
            {create.isPending ? 'Creating…' : 'Create recurrence'}
          </button>
        </form>
        <Card title="What would happen">
          {plan.data?.plan && input ? (
            <RecurrencePreview plan={plan.data.plan} />
          ) : (
            <p className="muted">Complete the form to see which occurrences are available.</p>
          )}
        </Card>
      </div>
    </Page>
  );
}

function RuleFields({
  form,
  error,
  onChange,
}: {
  form: RecurrenceForm;
  error: string | undefined;
  onChange: (changes: Partial<RecurrenceForm>) => void;
}) {
  const toggle = (day: string) => {
    const chosen = form.days.includes(day) ? form.days.filter((each) => each !== day) : [...form.days, day];
    onChange({ days: weekdays.flatMap(([code]) => (chosen.includes(code) ? [code] : [])) });
  };
  return (
    <fieldset>
      <legend>Recurs</legend>
      <Field label="Frequency">
        {(control) => (
          <select {...control} value={form.frequency} onChange={(event) => onChange({ frequency: event.target.value })}>
            {['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'].map((each) => (
              <option key={each} value={each}>
                {formatEnum(each)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Interval">
        {(control) => (
          <input
            {...control}
            type="number"
            min={1}
            value={form.interval}
            onChange={(event) => onChange({ interval: event.target.value })}
          />
        )}
      </Field>
      {form.frequency === 'WEEKLY' && (
        <fieldset className="buttons">
          <legend>Days (none: the day of the first start)</legend>
          {weekdays.map(([code, label]) => (
            <button type="button" key={code} aria-pressed={form.days.includes(code)} onClick={() => toggle(code)}>
              {label}
            </button>
          ))}
        </fieldset>
      )}
      <Field label="How often (empty: without an end)">
        {(control) => (
          <input
            {...control}
            type="number"
            min={1}
            value={form.count}
            onChange={(event) => onChange({ count: event.target.value })}
          />
        )}
      </Field>
      <p className={error ? 'error' : 'hint'}>{error ?? asSentence(describeRule(ruleOf(form)))}</p>
    </fieldset>
  );
}
