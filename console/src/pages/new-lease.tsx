import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useMemo, useRef, useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import {
  ConsoleLeaseDetailDocument,
  ConsolePlanRequestDocument,
  ConsoleRequestLeaseDocument,
  type RequestLeaseInput,
} from '../api/generated/operations.ts';
import { useExecute, useHasRole, useSchedulerNow, useSession } from '../session/session.tsx';
import { Card, Page } from '../ui/parts.tsx';
import { randomKey } from '../ui/random.ts';
import { useSettings } from '../ui/settings.tsx';
import { useStoredState } from '../ui/stored-state.ts';
import { useDelayed } from '../ui/use-delayed.ts';
import { usePlan } from '../ui/use-plan.ts';
import { toLocalInput } from '../ui/zones.ts';
import { Availability } from './availability.tsx';
import { Copyable } from './copyable.tsx';
import { toCommand, toGraphQL } from './equivalent-request.ts';
import { LeaseFields } from './lease-fields.tsx';
import {
  emptyForm,
  type FieldErrors,
  formOf,
  hasEqualMachines,
  type LeaseForm,
  placeErrors,
  readForm,
} from './lease-form.ts';
import { PlanPreview } from './plan-preview.tsx';
import { QuotaLeft } from './quotas.tsx';
import { TemplateChoice } from './template-choice.tsx';

interface Draft {
  readonly form: LeaseForm;
  /**
   * The idempotency key; unchanged while the form is unchanged, so that pressing the button twice creates one lease.
   */
  readonly key: string;
  /** The lease that served as template. */
  readonly template: number | null;
  /** The terms of that lease that the form does not support. */
  readonly note?: string | null;
}

const minute = 60_000;
const noErrors: FieldErrors = {};

export default function NewLeasePage() {
  const { site } = useSession();
  const mayRequest = useHasRole('USER');
  const [search] = useSearchParams();
  const template = Number(search.get('from') ?? Number.NaN);
  const [draft, setDraft, forget] = useStoredState<Draft>('new-lease', () => ({
    form: emptyForm(site.resourceTypes),
    key: randomKey(),
    template: null,
  }));
  useTemplate(Number.isSafeInteger(template) ? template : null, draft, setDraft);

  if (!mayRequest) {
    return (
      <Page title="New lease">
        <p>Your role does not allow you to request leases. Ask an administrator for a token with the role User.</p>
      </Page>
    );
  }
  return (
    <Page
      title="New lease"
      actions={
        <button
          type="button"
          onClick={() => {
            setDraft({ form: emptyForm(site.resourceTypes), key: randomKey(), template: draft.template });
          }}
        >
          Clear the form
        </button>
      }
    >
      <RequestForm
        form={draft.form}
        note={draft.note ?? null}
        idempotencyKey={draft.key}
        onChange={(form) => setDraft({ ...draft, form, key: randomKey() })}
        onDone={forget}
      />
    </Page>
  );
}

/** Fills the form from an earlier lease, once. */
function useTemplate(template: number | null, draft: Draft, setDraft: (draft: Draft) => void): void {
  const execute = useExecute();
  const { site } = useSession();
  const isNew = template !== null && draft.template !== template;
  const source = useQuery({
    queryKey: ['template', template],
    queryFn: ({ signal }) => execute(ConsoleLeaseDetailDocument, { number: template ?? 0 }, signal),
    enabled: isNew,
  });
  const lease = source.data?.lease;
  useEffect(() => {
    if (!isNew || !lease) return;
    const form = formOf(lease, site.resourceTypes);
    const note = hasEqualMachines(lease)
      ? null
      : `The machines of lease ${template} differ. This asks for ${form.count} like its first one.`;
    setDraft({ form, key: randomKey(), template, note });
  }, [isNew, lease, setDraft, site.resourceTypes, template]);
}

function RequestForm({
  form,
  note,
  idempotencyKey,
  onChange,
  onDone,
}: {
  form: LeaseForm;
  note: string | null;
  idempotencyKey: string;
  onChange: (form: LeaseForm) => void;
  onDone: () => void;
}) {
  const execute = useExecute();
  const now = useSchedulerNow();
  const { timeZone } = useSettings();
  const [, navigate] = useLocation();
  const { viewer } = useSession();
  const projectName = viewer.projects.find(({ id }) => id === form.project)?.name ?? null;
  const element = useRef<HTMLFormElement>(null);
  const [attempted, setAttempted] = useState(false);
  const { errors: formErrors, input } = useMemo(() => readForm(form, timeZone), [form, timeZone]);

  const plan = usePlan('request', input, async (wanted, signal) => {
    const variables = { input: { ...wanted, dryRun: true } };
    return (await execute(ConsolePlanRequestDocument, variables, signal)).requestLease;
  });
  const asked = useDelayed(input, 400);
  const request = useMutation({
    mutationFn: async (wanted: RequestLeaseInput) =>
      (await execute(ConsoleRequestLeaseDocument, { input: { ...wanted, idempotencyKey } })).requestLease,
    onSuccess: ({ lease }) => {
      if (!lease) return;
      onDone();
      navigate(`/leases/${lease.number}`);
    },
  });

  const refused = request.data?.userErrors ?? plan.data?.userErrors ?? [];
  const { fields, others } = placeErrors(input === null ? [] : refused, input);
  const errors = { ...fields, ...(attempted ? formErrors : startedErrors(form, formErrors)) };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAttempted(true);
    if (input) request.mutate(input);
    // After the errors have been rendered.
    else setTimeout(() => element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  };
  const change = (next: LeaseForm) => {
    request.reset();
    onChange(next);
  };

  return (
    <div className="cards">
      <form className="card" onSubmit={submit} noValidate ref={element}>
        <h2>Request</h2>
        <TemplateChoice />
        {note !== null && (
          <p className="hint" role="status">
            {note}
          </p>
        )}
        <LeaseFields form={form} errors={errors} onChange={change} />
        {input !== null && plan.data?.plan && <PlanPreview plan={plan.data.plan} />}
        {others.map((message) => (
          <p className="error" role="alert" key={message}>
            {message}
          </p>
        ))}
        {request.error && (
          <p className="error" role="alert">
            {request.error.message}
          </p>
        )}
        <button type="submit" className="primary" disabled={request.isPending}>
          {request.isPending ? 'Requesting…' : 'Request lease'}
        </button>
      </form>
      <div className="stack">
        <QuotaLeft project={form.project} />
        <Card title="When a reservation could start">
          {asked === null ? (
            <p className="muted">Complete the form to see when such machines are available.</p>
          ) : (
            <Availability
              input={asked}
              onPick={(start) =>
                change({
                  ...form,
                  type: form.type === 'DEADLINE' ? form.type : 'ADVANCE_RESERVATION',
                  start: toLocalInput(roundUp(start, now()), timeZone),
                })
              }
            />
          )}
        </Card>
        <Card title="Equivalent requests">
          {input === null ? (
            <p className="muted">Complete the form to see the equivalent command and mutation.</p>
          ) : (
            <>
              <Copyable label="Command line" text={toCommand(input, projectName)} />
              <Copyable label="GraphQL" text={toGraphQL(input)} />
            </>
          )}
        </Card>
        <p className="hint">
          <Link href="/schedule">The schedule</Link> shows what is planned on each node.
        </p>
      </div>
    </div>
  );
}

/** Inputs hold whole minutes. A start of "now" leaves two minutes to press the button. */
function roundUp(instant: string, now: number): number {
  return Math.ceil(Math.max(Date.parse(instant), now + 2 * minute) / minute) * minute;
}

/** Before the first attempt, an empty field is not an error. */
function startedErrors(form: LeaseForm, errors: FieldErrors): FieldErrors {
  const entries = Object.entries(errors).filter(([field]) => {
    const value = field.startsWith('amounts.') ? form.amounts[field.slice(8)] : form[field as keyof LeaseForm];
    return value !== '';
  });
  return entries.length === 0 ? noErrors : Object.fromEntries(entries);
}
