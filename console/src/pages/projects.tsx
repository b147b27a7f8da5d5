import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import {
  ConsoleCreateProjectDocument,
  ConsoleUpdateProjectDocument,
  type QuotaInput,
} from '../api/generated/operations.ts';
import { useExecute, useHasRole, useSession } from '../session/session.tsx';
import { assertDone, ConfirmButton } from '../ui/confirm.tsx';
import { Field } from '../ui/field.tsx';
import { toIsoDuration } from '../ui/format.ts';
import { Instant, Page, QueryState } from '../ui/parts.tsx';
import { useStoredState } from '../ui/stored-state.ts';
import { type Column, Table } from '../ui/table.tsx';
import { useTerms } from '../ui/term-fields.tsx';
import { type ProjectRow, QuotaList, useProjects } from './quotas.tsx';

/** Projects with their quotas. Administrators create projects and set quotas. */
export default function ProjectsPage() {
  const isAdmin = useHasRole('ADMIN');
  const query = useProjects();
  const projects = query.data?.projects.nodes ?? [];
  const columns: readonly Column<ProjectRow>[] = [
    { header: 'Name', kind: 'text', cell: ({ name }) => name },
    { header: 'Created', cell: ({ createdAt }) => <Instant at={createdAt} seconds={false} /> },
    {
      header: 'Quotas',
      cell: ({ quotas }) =>
        quotas.length === 0 ? <span className="muted">no limits</span> : <QuotaList quotas={quotas} />,
    },
    {
      header: 'Leases',
      cell: ({ id, name }) => (
        <Link href={`/leases?project=${encodeURIComponent(id)}`}>
          Leases<span className="visually-hidden"> of {name}</span>
        </Link>
      ),
    },
    ...(isAdmin
      ? [
          {
            header: 'Actions',
            kind: 'actions' as const,
            cell: (project: ProjectRow) => <EditQuotas project={project} />,
          },
        ]
      : []),
  ];
  return (
    <Page title="Projects">
      {isAdmin && <NewProject />}
      <QueryState
        isPending={query.isPending}
        error={query.data ? null : query.error}
        retry={() => void query.refetch()}
        isEmpty={projects.length === 0}
        empty={<p>There are no projects. Leases of users without a project belong to their owner alone.</p>}
      >
        <Table label="List of projects" columns={columns} rows={projects} keyOf={({ id }) => id} />
      </QueryState>
    </Page>
  );
}

function NewProject() {
  const execute = useExecute();
  const queries = useQueryClient();
  const [name, setName] = useStoredState('new-project', () => '');
  const create = useMutation({
    mutationFn: async () => {
      const variables = { input: { name: name.trim() } };
      assertDone((await execute(ConsoleCreateProjectDocument, variables)).createProject.userErrors);
    },
    onSuccess: () => {
      setName('');
      void queries.invalidateQueries();
    },
  });
  return (
    <>
      <form
        className="filters"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <label>
          <span>Name of the project</span>
          <input required value={name} onChange={(event) => setName(event.target.value)} />
        </label>
        <button type="submit" className="primary" disabled={create.isPending}>
          Create project
        </button>
      </form>
      {create.error && (
        <p className="error" role="alert">
          {create.error.message}
        </p>
      )}
    </>
  );
}

/** As typed; empty: no limit. */
interface QuotaForm {
  readonly amount: string;
  readonly amountHours: string;
  readonly period: string;
  readonly maxDuration: string;
  readonly maxLeases: string;
}

const noLimits: QuotaForm = { amount: '', amountHours: '', period: '', maxDuration: '', maxLeases: '' };
const labels: Readonly<Record<keyof QuotaForm, string>> = {
  amount: 'Amount held at any instant',
  amountHours: 'Amount times hours per period',
  period: 'Period',
  maxDuration: 'Longest duration of a lease',
  maxLeases: 'Leases that have not ended',
};

function EditQuotas({ project }: { project: ProjectRow }) {
  const execute = useExecute();
  const { site } = useSession();
  const [type, setType] = useState(site.resourceTypes[0] ?? 'CPU');
  const { terms: forms, change, reset } = useTerms(`quotas-${project.id}`, formsOf(project));
  const form = forms[type] ?? noLimits;
  return (
    <ConfirmButton
      label="Edit quotas"
      hiddenLabel={`of ${project.name}`}
      title={`Quotas of ${project.name}`}
      confirmLabel="Save quotas"
      cancelLabel="Leave them"
      tone="primary"
      action={async () => {
        const input = { id: project.id, quotas: quotasOf(forms) };
        assertDone((await execute(ConsoleUpdateProjectDocument, { input })).updateProject.userErrors);
        reset();
      }}
    >
      <p>Limits hold for leases that request some of the resource. An empty field is no limit.</p>
      <Field label="Resource">
        {(control) => (
          <select {...control} value={type} onChange={(event) => setType(event.target.value)}>
            {site.resourceTypes.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )}
      </Field>
      {(Object.keys(labels) as (keyof QuotaForm)[]).map((name) => (
        <Field key={name} label={labels[name]} hint={hints[name]}>
          {(control) => (
            <input
              {...control}
              value={form[name]}
              onChange={(event) => change({ [type]: { ...form, [name]: event.target.value } })}
            />
          )}
        </Field>
      ))}
    </ConfirmButton>
  );
}

const hints: Readonly<Partial<Record<keyof QuotaForm, string>>> = {
  period: 'A duration such as 7d, with the amount times hours.',
  maxDuration: 'A duration such as 12h.',
};

function formsOf({ quotas }: ProjectRow): Readonly<Record<string, QuotaForm>> {
  const text = (value: number | string | null) => (value === null ? '' : String(value));
  return Object.fromEntries(
    quotas.map(({ type, amount, amountHours, period, maxDuration, maxLeases }) => [
      type,
      {
        amount: text(amount),
        amountHours: text(amountHours),
        period: text(period),
        maxDuration: text(maxDuration),
        maxLeases: text(maxLeases),
      },
    ]),
  );
}

/** Throws Error with words for people. */
function quotasOf(forms: Readonly<Record<string, QuotaForm>>): QuotaInput[] {
  return Object.entries(forms).flatMap(([type, form]) => {
    const number = (name: keyof QuotaForm) => {
      const text = form[name].trim();
      if (text === '') return {};
      const value = Number(text);
      if (!Number.isFinite(value) || value < 0) {
        throw new Error(`${type}, ${labels[name].toLowerCase()}: “${text}” is not a number.`);
      }
      return { [name]: value };
    };
    const duration = (name: keyof QuotaForm) => {
      const text = form[name].trim();
      if (text === '') return {};
      const iso = toIsoDuration(text);
      if (iso === null) throw new Error(`${type}, ${labels[name].toLowerCase()}: “${text}” is not a duration.`);
      return { [name]: iso };
    };
    const limits = {
      ...number('amount'),
      ...number('amountHours'),
      ...number('maxLeases'),
      ...duration('period'),
      ...duration('maxDuration'),
    };
    return Object.keys(limits).length === 0 ? [] : [{ type, ...limits }];
  });
}
