import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useMemo, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import {
  ConsoleLeaseDetailDocument,
  ConsoleRequestLeaseDocument,
  type LeaseType,
  type RequestLeaseInput,
} from '../api/generated/operations.ts';
import { useExecute, useSession } from '../session/session.tsx';
import { formatEnum, toIsoDuration } from '../ui/format.ts';
import { Card, Page, ScrollArea } from '../ui/parts.tsx';
import { emptyForm, type LeaseForm, toCommand, toGraphQL, toInput } from './lease-form.ts';

const types: readonly LeaseType[] = ['BEST_EFFORT', 'ADVANCE_RESERVATION', 'IMMEDIATE', 'DEADLINE'];

export default function NewLeasePage() {
  const execute = useExecute();
  const { site, viewer } = useSession();
  const [, navigate] = useLocation();
  const [search] = useSearchParams();
  const template = Number(search.get('from') ?? Number.NaN);
  const [form, setForm] = useState<LeaseForm>(() => emptyForm(site.resourceTypes));
  // The same key for as long as the form is the same request: pressing the button twice makes one lease.
  const [key, setKey] = useState(() => crypto.randomUUID());

  const source = useQuery({
    queryKey: ['lease', template],
    queryFn: ({ signal }) => execute(ConsoleLeaseDetailDocument, { number: template }, signal),
    enabled: Number.isSafeInteger(template),
  });
  useEffect(() => {
    const lease = source.data?.lease;
    if (!lease) return;
    const capacity = lease.machines[0]?.capacity ?? [];
    setForm((current) => ({
      ...current,
      type: types.includes(lease.type) ? lease.type : 'BEST_EFFORT',
      name: lease.name ?? '',
      duration: lease.requestedDuration,
      count: String(lease.machines.length),
      amounts: Object.fromEntries(capacity.map(({ type, amount }) => [type, String(amount)])),
      preemptible: lease.preemptible,
      imageName: lease.diskImage?.name ?? '',
      imageSizeMb: lease.diskImage ? String(lease.diskImage.sizeMb) : '',
    }));
  }, [source.data]);

  const request = useMutation({
    mutationFn: async (input: RequestLeaseInput) => {
      const { requestLease } = await execute(ConsoleRequestLeaseDocument, { input });
      const [refusal] = requestLease.userErrors;
      if (refusal) throw new Error(refusal.message);
      if (requestLease.lease === null) throw new Error('The server answered without a lease.');
      return requestLease.lease;
    },
    onSuccess: (lease) => navigate(`/leases/${lease.number}`),
  });

  const change = <Key extends keyof LeaseForm>(name: Key, value: LeaseForm[Key]) => {
    setForm({ ...form, [name]: value });
    setKey(crypto.randomUUID());
  };
  const input = useMemo(() => toInput(form), [form]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (input) request.mutate({ ...input, idempotencyKey: key });
  };
  const durationInvalid = form.duration !== '' && toIsoDuration(form.duration) === null;

  return (
    <Page title="New lease">
      <div className="cards">
        <form className="card" onSubmit={submit}>
          <h2>Request</h2>
          <label className="field">
            <span>Type</span>
            <select value={form.type} onChange={(event) => change('type', event.target.value as LeaseType)}>
              {types.map((type) => (
                <option key={type} value={type}>
                  {formatEnum(type)}
                </option>
              ))}
            </select>
          </label>
          <label className="field">
            <span>Name (optional)</span>
            <input
              value={form.name}
              maxLength={200}
              onChange={(event) => change('name', event.target.value)}
            />
          </label>
          <label className="field">
            <span>Number of machines</span>
            <input
              type="number"
              min={1}
              required
              value={form.count}
              onChange={(event) => change('count', event.target.value)}
            />
          </label>
          <fieldset>
            <legend>Each machine</legend>
            {site.resourceTypes.map((type) => (
              <label className="field" key={type}>
                <span>{type}</span>
                <input
                  type="number"
                  min={0}
                  value={form.amounts[type] ?? ''}
                  onChange={(event) => change('amounts', { ...form.amounts, [type]: event.target.value })}
                />
              </label>
            ))}
          </fieldset>
          <label className="field">
            <span>Duration</span>
            <input
              required
              placeholder="1h 30m"
              value={form.duration}
              aria-invalid={durationInvalid}
              aria-describedby="duration-help"
              onChange={(event) => change('duration', event.target.value)}
            />
          </label>
          <p id="duration-help" className={durationInvalid ? 'error' : 'hint'}>
            {durationInvalid ? 'This is not a duration. ' : ''}Examples: 90m, 1h 30m, 2d, PT1H30M.
          </p>
          {(form.type === 'ADVANCE_RESERVATION' || form.type === 'DEADLINE') && (
            <label className="field">
              <span>
                {form.type === 'DEADLINE' ? 'Earliest start (your time, optional)' : 'Start (your time)'}
              </span>
              <input
                type="datetime-local"
                required={form.type === 'ADVANCE_RESERVATION'}
                value={form.start}
                onChange={(event) => change('start', event.target.value)}
              />
            </label>
          )}
          {form.type === 'DEADLINE' && (
            <label className="field">
              <span>Deadline (your time)</span>
              <input
                type="datetime-local"
                required
                value={form.deadline}
                onChange={(event) => change('deadline', event.target.value)}
              />
            </label>
          )}
          {viewer.projects.length > 0 && (
            <label className="field">
              <span>Project</span>
              <select value={form.project} onChange={(event) => change('project', event.target.value)}>
                <option value="">None</option>
                {viewer.projects.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </select>
            </label>
          )}
          <label className="check">
            <input
              type="checkbox"
              checked={form.preemptible}
              onChange={(event) => change('preemptible', event.target.checked)}
            />
            <span>May be preempted by leases of higher priority</span>
          </label>
          <details>
            <summary>Disk image</summary>
            <label className="field">
              <span>Image name</span>
              <input value={form.imageName} onChange={(event) => change('imageName', event.target.value)} />
            </label>
            <label className="field">
              <span>Size in MB</span>
              <input
                type="number"
                min={0}
                value={form.imageSizeMb}
                onChange={(event) => change('imageSizeMb', event.target.value)}
              />
            </label>
          </details>
          {request.error && (
            <p className="error" role="alert">
              {request.error.message}
            </p>
          )}
          <button type="submit" className="primary" disabled={request.isPending || input === null}>
            {request.isPending ? 'Requesting…' : 'Request lease'}
          </button>
        </form>
        <Card title="Equivalent requests">
          {input === null ? (
            <p className="muted">Complete the form to see the equivalent command and mutation.</p>
          ) : (
            <>
              <Copyable label="Command line" text={toCommand(input)} />
              <Copyable label="GraphQL" text={toGraphQL(input)} />
            </>
          )}
        </Card>
      </div>
    </Page>
  );
}

function Copyable({ label, text }: { label: string; text: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <section className="copyable" aria-label={label}>
      <header>
        <h3>{label}</h3>
        <button
          type="button"
          onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
          onBlur={() => setCopied(false)}
        >
          {copied ? 'Copied' : `Copy ${label === 'GraphQL' ? label : label.toLowerCase()}`}
        </button>
      </header>
      <ScrollArea label={`${label} text`}>
        <pre>{text}</pre>
      </ScrollArea>
    </section>
  );
}
