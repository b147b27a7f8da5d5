import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import {
  ConsoleAuditLogDocument,
  ConsoleCreateProjectDocument,
  ConsoleCreateTokenDocument,
  ConsoleProjectsDocument,
  ConsoleRevokeTokenDocument,
  ConsoleTokensDocument,
  type ConsoleTokensQuery,
  type Role,
} from '../api/generated/operations.ts';
import { useExecute } from '../session/session.tsx';
import { formatEnum } from '../ui/format.ts';
import { Card, Dialog, Instant, Page, QueryState, ScrollArea } from '../ui/parts.tsx';

type TokenRow = ConsoleTokensQuery['tokens']['nodes'][number];

const roles: readonly Role[] = ['VIEWER', 'USER', 'OPERATOR', 'ADMIN'];
const pageSize = 50;

/** Tokens, projects and the record of all mutations. */
export default function AccessPage() {
  return (
    <Page title="Access">
      <div className="cards">
        <Tokens />
        <Projects />
        <AuditLog />
      </div>
    </Page>
  );
}

/** Throws the first of a payload's errors, in the server's words. */
function assertDone(userErrors: readonly { readonly message: string }[]): void {
  const [refusal] = userErrors;
  if (refusal) throw new Error(refusal.message);
}

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
        <ScrollArea label="List of tokens">
          <table>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Prefix</th>
                <th scope="col">Role</th>
                <th scope="col">Projects</th>
                <th scope="col">Last used</th>
                <th scope="col">Expires</th>
                <th scope="col">
                  <span className="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {tokens.map((token) => (
                <tr key={token.id}>
                  <td className="name">{token.name}</td>
                  <td>
                    <code>{token.prefix}</code>
                  </td>
                  <td>{formatEnum(token.role)}</td>
                  <td className="name">{token.projects.map(({ name }) => name).join(', ')}</td>
                  <td>
                    <Instant at={token.lastUsedAt} seconds={false} />
                  </td>
                  <td>{token.expiresAt ? <Instant at={token.expiresAt} seconds={false} /> : 'never'}</td>
                  <td>
                    {token.revokedAt ? <span className="muted">revoked</span> : <Revoke token={token} />}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollArea>
      </QueryState>
    </Card>
  );
}

function Revoke({ token }: { token: TokenRow }) {
  const execute = useExecute();
  const queries = useQueryClient();
  const [open, setOpen] = useState(false);
  const revoke = useMutation({
    mutationFn: async () => {
      assertDone((await execute(ConsoleRevokeTokenDocument, { id: token.id })).revokeToken.userErrors);
    },
    onSuccess: () => {
      setOpen(false);
      void queries.invalidateQueries();
    },
  });
  return (
    <>
      <button type="button" className="danger" onClick={() => setOpen(true)}>
        Revoke<span className="visually-hidden"> {token.name}</span>
      </button>
      <Dialog title={`Revoke the token of ${token.name}?`} open={open} onClose={() => setOpen(false)}>
        <p>Programs that use it are refused from now on. Their leases stay. This cannot be undone.</p>
        {revoke.error && (
          <p className="error" role="alert">
            {revoke.error.message}
          </p>
        )}
        <div className="dialog-actions">
          <button type="button" onClick={() => setOpen(false)}>
            Keep it
          </button>
          <button
            type="button"
            className="danger"
            disabled={revoke.isPending}
            onClick={() => revoke.mutate()}
          >
            Revoke token
          </button>
        </div>
      </Dialog>
    </>
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

function useProjects() {
  const execute = useExecute();
  return useQuery({
    queryKey: ['projects'],
    queryFn: ({ signal }) => execute(ConsoleProjectsDocument, { first: 100 }, signal),
  });
}

function Projects() {
  const execute = useExecute();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const query = useProjects();
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
  const projects = query.data?.projects.nodes ?? [];
  return (
    <Card title="Projects" wide>
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
      <QueryState
        isPending={query.isPending}
        error={query.data ? null : query.error}
        retry={() => void query.refetch()}
        isEmpty={projects.length === 0}
        empty={<p>There are no projects. Leases of users without a project belong to their owner alone.</p>}
      >
        <ScrollArea label="List of projects">
          <table>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Created</th>
              </tr>
            </thead>
            <tbody>
              {projects.map((project) => (
                <tr key={project.id}>
                  <td className="name">{project.name}</td>
                  <td>
                    <Instant at={project.createdAt} seconds={false} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollArea>
      </QueryState>
    </Card>
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
        <ScrollArea label="Recorded mutations">
          <table>
            <thead>
              <tr>
                <th scope="col">Time</th>
                <th scope="col">Principal</th>
                <th scope="col">Mutation</th>
                <th scope="col">Subject</th>
                <th scope="col">Outcome</th>
                <th scope="col">Request</th>
              </tr>
            </thead>
            <tbody>
              {entries.map((entry) => (
                <tr key={`${entry.requestId}-${entry.mutation}-${entry.at}-${entry.subject}`}>
                  <td>
                    <Instant at={entry.at} />
                  </td>
                  <td className="name">{entry.principal}</td>
                  <td>{entry.mutation}</td>
                  <td className="name">{entry.subject}</td>
                  <td>{entry.outcome}</td>
                  <td>
                    <code>{entry.requestId}</code>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollArea>
      </QueryState>
    </Card>
  );
}
