import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import {
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
import { Card, Instant, Page, QueryState } from '../ui/parts.tsx';
import { type Column, Table } from '../ui/table.tsx';
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
  const query = useQuery({
    queryKey: ['tokens'],
    queryFn: ({ signal }) => execute(ConsoleTokensDocument, { last: pageSize }, signal),
  });
  const tokens = [...(query.data?.tokens.nodes ?? [])].reverse();
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

function NewToken() {
  const execute = useExecute();
  const queries = useQueryClient();
  const projects = useProjects();
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('USER');
  const [project, setProject] = useState('');
  const create = useMutation({
    mutationFn: async () => {
      const input = { name: name.trim(), role, ...(project === '' ? {} : { projects: [project] }) };
      const { createToken } = await execute(ConsoleCreateTokenDocument, { input });
      assertDone(createToken.userErrors);
      return createToken.secret;
    },
    onSuccess: () => {
      setName('');
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
          <input required value={name} onChange={(event) => setName(event.target.value)} />
        </label>
        <label>
          <span>Role</span>
          <select value={role} onChange={(event) => setRole(event.target.value as Role)}>
            {roles.map((each) => (
              <option key={each} value={each}>
                {formatEnum(each)}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>Project</span>
          <select value={project} onChange={(event) => setProject(event.target.value)}>
            <option value="">None</option>
            {projects.data?.projects.nodes.map((each) => (
              <option key={each.id} value={each.id}>
                {each.name}
              </option>
            ))}
          </select>
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
  const query = useQuery({
    queryKey: ['audit'],
    queryFn: ({ signal }) => execute(ConsoleAuditLogDocument, { last: pageSize }, signal),
  });
  const entries = [...(query.data?.auditLog.nodes ?? [])].reverse();
  return (
    <Card title="Audit log" wide>
      <QueryState
        isPending={query.isPending}
        error={query.data ? null : query.error}
        retry={() => void query.refetch()}
        isEmpty={entries.length === 0}
        empty={<p>No mutation has been recorded yet.</p>}
      >
        <Table
          label="Recorded mutations"
          columns={auditColumns}
          rows={entries}
          keyOf={({ requestId, mutation, at, subject }) => `${requestId} ${mutation} ${at} ${subject}`}
        />
      </QueryState>
    </Card>
  );
}
