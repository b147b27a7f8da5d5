import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useMemo } from 'react';
import { useSearchParams } from 'wouter';
import {
  type AuditFilter,
  ConsoleAuditLogDocument,
  type ConsoleAuditLogQuery,
  ConsoleCreateTokenDocument,
  ConsoleRevokeTokenDocument,
  ConsoleTokensDocument,
  type ConsoleTokensQuery,
  type Role,
} from '../api/generated/operations.ts';
import { useExecute } from '../session/session.tsx';
import { assertDone, ConfirmButton } from '../ui/confirm.tsx';
import { formatEnum } from '../ui/format.ts';
import { ListPager } from '../ui/list-pager.tsx';
import { Card, Instant, Page, QueryState } from '../ui/parts.tsx';
import { useSettings } from '../ui/settings.tsx';
import { useStoredState } from '../ui/stored-state.ts';
import { type Column, Table } from '../ui/table.tsx';
import { useCursors } from '../ui/use-cursors.ts';
import { useDelayed } from '../ui/use-delayed.ts';
import { fromLocalInput } from '../ui/zones.ts';
import { useProjects } from './quotas.tsx';

type TokenRow = ConsoleTokensQuery['tokens']['nodes'][number];
type AuditRow = ConsoleAuditLogQuery['auditLog']['nodes'][number];

const roles: readonly Role[] = ['VIEWER', 'USER', 'OPERATOR', 'ADMIN'];
const pageSize = 50;

/** Tokens and the record of all mutations. */
export default function AccessPage() {
  return (
    <Page title="Access">
      <div className="cards">
        <Tokens />
        <AuditLog />
      </div>
    </Page>
  );
}

const tokenColumns: readonly Column<TokenRow>[] = [
  { header: 'Name', kind: 'text', cell: ({ name }) => name },
  { header: 'Prefix', cell: ({ prefix }) => <code>{prefix}</code> },
  { header: 'Role', cell: ({ role }) => formatEnum(role) },
  { header: 'Projects', kind: 'text', cell: ({ projects }) => projects.map(({ name }) => name).join(', ') },
  { header: 'Last used', cell: ({ lastUsedAt }) => <Instant at={lastUsedAt} seconds={false} /> },
  {
    header: 'Expires',
    cell: ({ expiresAt }) => (expiresAt ? <Instant at={expiresAt} seconds={false} /> : 'never'),
  },
  {
    header: 'Actions',
    kind: 'actions',
    cell: (token) => (token.revokedAt ? <span className="muted">revoked</span> : <Revoke token={token} />),
  },
];

const auditColumns: readonly Column<AuditRow>[] = [
  { header: 'Time', cell: ({ at }) => <Instant at={at} /> },
  { header: 'Principal', kind: 'text', cell: ({ principal }) => principal },
  { header: 'Mutation', cell: ({ mutation }) => mutation },
  { header: 'Subject', kind: 'text', cell: ({ subject }) => subject },
  { header: 'Outcome', cell: ({ outcome }) => outcome },
  { header: 'Request', cell: ({ requestId }) => <code>{requestId}</code> },
];

function Tokens() {
  const execute = useExecute();
  const pages = useCursors();
  const query = useQuery({
    queryKey: ['tokens', pages.cursor],
    queryFn: ({ signal }) => execute(ConsoleTokensDocument, { last: pageSize, before: pages.cursor }, signal),
    placeholderData: keepPreviousData,
  });
  const found = query.data?.tokens;
  const tokens = [...(found?.nodes ?? [])].reverse();
  return (
    <Card title="Tokens" wide>
      <NewToken />
      <QueryState
        isPending={query.isPending}
        error={query.data ? null : query.error}
        retry={() => void query.refetch()}
        isEmpty={tokens.length === 0}
        empty={<p>No tokens have been created. The admin token of the configuration is not listed.</p>}
      >
        <Table label="List of tokens" columns={tokenColumns} rows={tokens} keyOf={({ id }) => id} />
        <ListPager list={found} noun="token" pages={pages} newestFirst />
      </QueryState>
    </Card>
  );
}

function Revoke({ token }: { token: TokenRow }) {
  const execute = useExecute();
  return (
    <ConfirmButton
      label="Revoke"
      hiddenLabel={token.name}
      title={`Revoke the token of ${token.name}?`}
      confirmLabel="Revoke token"
      action={async () =>
        assertDone((await execute(ConsoleRevokeTokenDocument, { id: token.id })).revokeToken.userErrors)
      }
    >
      <p>Programs that use it are refused from now on. Their leases stay. This cannot be undone.</p>
    </ConfirmButton>
  );
}

interface TokenForm {
  readonly name: string;
  readonly role: Role;
  /** A global id; empty: none. */
  readonly project: string;
  /** Date and time, as an input of type datetime-local gives it; empty: never. */
  readonly expires: string;
}

const emptyTokenForm: TokenForm = { name: '', role: 'USER', project: '', expires: '' };

function NewToken() {
  const execute = useExecute();
  const queries = useQueryClient();
  const projects = useProjects();
  const { timeZone } = useSettings();
  const [form, setForm] = useStoredState<TokenForm>('new-token', () => emptyTokenForm);
  const change = (changes: Partial<TokenForm>) => setForm({ ...form, ...changes });
  const create = useMutation({
    mutationFn: async () => {
      const expiresAt = fromLocalInput(form.expires, timeZone);
      const input = {
        name: form.name.trim(),
        role: form.role,
        ...(form.project === '' ? {} : { projects: [form.project] }),
        ...(expiresAt === null ? {} : { expiresAt }),
      };
      const { createToken } = await execute(ConsoleCreateTokenDocument, { input });
      assertDone(createToken.userErrors);
      return createToken.secret;
    },
    onSuccess: () => {
      setForm(emptyTokenForm);
      void queries.invalidateQueries();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <>
      <form className="filters" onSubmit={submit}>
        <label>
          <span>Name</span>
          <input required value={form.name} onChange={(event) => change({ name: event.target.value })} />
        </label>
        <label>
          <span>Role</span>
          <select value={form.role} onChange={(event) => change({ role: event.target.value as Role })}>
            {roles.map((each) => (
              <option key={each} value={each}>
                {formatEnum(each)}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>Project</span>
          <select value={form.project} onChange={(event) => change({ project: event.target.value })}>
            <option value="">None</option>
            {projects.data?.projects.nodes.map((each) => (
              <option key={each.id} value={each.id}>
                {each.name}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>Expires ({timeZone}, optional)</span>
          <input
            type="datetime-local"
            value={form.expires}
            onChange={(event) => change({ expires: event.target.value })}
          />
        </label>
        <button type="submit" className="primary" disabled={create.isPending}>
          Create token
        </button>
      </form>
      {create.error && (
        <p className="error" role="alert">
          {create.error.message}
        </p>
      )}
      {create.data && (
        <p role="status">
          The secret is shown this once: <code>{create.data}</code>
        </p>
      )}
    </>
  );
}

function AuditLog() {
  const execute = useExecute();
  const [search, setSearch] = useSearchParams();
  const pages = useCursors();
  const principal = search.get('principal') ?? '';
  const mutation = search.get('mutation') ?? '';
  const wanted = useMemo(() => auditFilterOf(principal, mutation), [principal, mutation]);
  const filter = useDelayed(wanted, 300);
  const change = (name: string, value: string) => {
    const next = new URLSearchParams(search);
    if (value === '') next.delete(name);
    else next.set(name, value);
    pages.reset();
    setSearch(next, { replace: true });
  };
  const query = useQuery({
    queryKey: ['audit', filter, pages.cursor],
    queryFn: ({ signal }) => execute(ConsoleAuditLogDocument, { filter, last: pageSize, before: pages.cursor }, signal),
    placeholderData: keepPreviousData,
  });
  const found = query.data?.auditLog;
  const entries = [...(found?.nodes ?? [])].reverse();
  return (
    <Card title="Audit log" wide>
      <form className="filters" onSubmit={(event) => event.preventDefault()}>
        <label>
          <span>Principal</span>
          <input type="search" value={principal} onChange={(event) => change('principal', event.target.value)} />
        </label>
        <label>
          <span>Mutation, such as cancelLease</span>
          <input type="search" value={mutation} onChange={(event) => change('mutation', event.target.value)} />
        </label>
      </form>
      <QueryState
        isPending={query.isPending}
        error={query.data ? null : query.error}
        retry={() => void query.refetch()}
        isEmpty={entries.length === 0}
        empty={
          filter === null ? (
            <p>No mutation has been recorded yet.</p>
          ) : (
            <p>No record has exactly these names. Change or clear the filters.</p>
          )
        }
      >
        <Table
          label="Recorded mutations"
          columns={auditColumns}
          rows={entries}
          keyOf={({ requestId, mutation: name, at, subject }) => `${requestId} ${name} ${at} ${subject}`}
        />
        <ListPager list={found} noun="record" pages={pages} newestFirst />
      </QueryState>
    </Card>
  );
}

function auditFilterOf(principal: string, mutation: string): AuditFilter | null {
  const filter = {
    ...(principal.trim() === '' ? {} : { principals: [principal.trim()] }),
    ...(mutation.trim() === '' ? {} : { mutations: [mutation.trim()] }),
  };
  return Object.keys(filter).length === 0 ? null : filter;
}
