import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import {
  ConsoleCreateWebhookDocument,
  ConsoleDeleteWebhookDocument,
  ConsoleTestWebhookDocument,
  ConsoleUpdateWebhookDocument,
  ConsoleWebhooksDocument,
  type ConsoleWebhooksQuery,
  type NoticeKind,
} from '../api/generated/operations.ts';
import { useExecute, useHasRole, useSession } from '../session/session.tsx';
import { assertDone, ConfirmButton } from '../ui/confirm.tsx';
import { formatEnum } from '../ui/format.ts';
import { Card, Instant, Page, QueryState } from '../ui/parts.tsx';
import { useStoredState } from '../ui/stored-state.ts';
import { type Column, Table } from '../ui/table.tsx';
import { noticeLabels } from './notice-list.tsx';

type Webhook = NonNullable<ConsoleWebhooksQuery['webhooks']>['nodes'][number];

const kinds = Object.keys(noticeLabels) as NoticeKind[];
const tones: Readonly<Record<string, string>> = { ACTIVE: 'good', PAUSED: 'bad', SUCCEEDED: 'good' };
/** Deliveries happen without an event of a lease. */
const refreshMs = 5_000;

function Badge({ state }: { state: string }) {
  return <span className={`badge ${tones[state] ?? 'neutral'}`}>{formatEnum(state)}</span>;
}

const columns: readonly Column<Webhook>[] = [
  { header: 'Address', kind: 'text', cell: ({ url }) => url },
  {
    header: 'State',
    kind: 'text',
    cell: ({ state, pauseReason }) => (
      <>
        <Badge state={state} />
        {pauseReason && <p className="hint">{pauseReason}</p>}
      </>
    ),
  },
  {
    header: 'Notices',
    kind: 'text',
    cell: (webhook) => webhook.kinds.map((kind) => noticeLabels[kind]).join(', ') || 'all',
  },
  { header: 'Project', kind: 'text', cell: ({ project }) => project?.name ?? 'whole site' },
  { header: 'Owner', kind: 'text', cell: ({ owner }) => owner },
  { header: 'Last deliveries', kind: 'text', cell: (webhook) => <Deliveries webhook={webhook} /> },
  { header: 'Actions', kind: 'actions', cell: (webhook) => <Actions webhook={webhook} /> },
];

/** Addresses to which notices are posted. */
export default function WebhooksPage() {
  const execute = useExecute();
  const isOperator = useHasRole('OPERATOR');
  const { viewer } = useSession();
  const mayCreate = isOperator || viewer.projects.length > 0;
  const query = useQuery({
    queryKey: ['webhooks'],
    queryFn: ({ signal }) => execute(ConsoleWebhooksDocument, { first: 100 }, signal),
    refetchInterval: refreshMs,
  });
  const webhooks = query.data?.webhooks?.nodes ?? [];
  return (
    <Page title="Webhooks">
      <div className="stack">
        {mayCreate && <NewWebhook />}
        <QueryState
          isPending={query.isPending}
          error={query.data ? null : query.error}
          retry={() => void query.refetch()}
          isEmpty={webhooks.length === 0}
          empty={
            <p>
              There are no webhooks. A webhook posts notices to an address of yours as they are given.
              {!mayCreate && ' It gets those of a project: ask an administrator to make you a member of one.'}
            </p>
          }
        >
          <Table label="List of webhooks" columns={columns} rows={webhooks} keyOf={({ id }) => id} />
        </QueryState>
      </div>
    </Page>
  );
}

function Deliveries({ webhook }: { webhook: Webhook }) {
  const deliveries = [...webhook.deliveries.nodes].reverse();
  if (deliveries.length === 0) return <span className="muted">none</span>;
  return (
    <ul className="plain">
      {deliveries.map(({ id, state, status, error, createdAt, notice }) => (
        <li key={id}>
          <Badge state={state} /> {notice ? (noticeLabels[notice.kind] ?? 'Notice') : 'Test'},{' '}
          <Instant at={createdAt} />
          {status !== null && `, status ${status}`}
          {error && <p className="error">{error}</p>}
        </li>
      ))}
    </ul>
  );
}

function Actions({ webhook }: { webhook: Webhook }) {
  const execute = useExecute();
  const isActive = webhook.state === 'ACTIVE';
  const change = isActive ? 'Disable' : 'Activate';
  return (
    <div className="actions">
      <ConfirmButton
        label="Test"
        hiddenLabel={webhook.url}
        title="Send a test?"
        confirmLabel="Send test"
        cancelLabel="Go back"
        tone="primary"
        action={async () =>
          assertDone((await execute(ConsoleTestWebhookDocument, { id: webhook.id })).testWebhook.userErrors)
        }
      >
        <p>A delivery without a notice is posted to {webhook.url}.</p>
      </ConfirmButton>
      <ConfirmButton
        label={change}
        hiddenLabel={webhook.url}
        title={`${change} the webhook?`}
        confirmLabel={`${change} webhook`}
        cancelLabel="Go back"
        tone="primary"
        action={async () => {
          const input = { id: webhook.id, active: !isActive };
          assertDone((await execute(ConsoleUpdateWebhookDocument, { input })).updateWebhook.userErrors);
        }}
      >
        <p>
          {isActive
            ? 'It gets no deliveries from now on, and what happens meanwhile is not delivered later.'
            : 'It gets deliveries again, at once those that waited while it was paused.'}
        </p>
      </ConfirmButton>
      <ConfirmButton
        label="Delete"
        hiddenLabel={webhook.url}
        title="Delete the webhook?"
        confirmLabel="Delete webhook"
        action={async () =>
          assertDone((await execute(ConsoleDeleteWebhookDocument, { id: webhook.id })).deleteWebhook.userErrors)
        }
      >
        <p>Nothing more is posted to {webhook.url}. This cannot be undone.</p>
      </ConfirmButton>
    </div>
  );
}

interface WebhookForm {
  readonly url: string;
  readonly kind: NoticeKind | '';
  /** A global id. */
  readonly project: string;
}

const emptyForm: WebhookForm = { url: '', kind: '', project: '' };

function NewWebhook() {
  const execute = useExecute();
  const isOperator = useHasRole('OPERATOR');
  const queries = useQueryClient();
  const { viewer } = useSession();
  const [form, setForm] = useStoredState<WebhookForm>('new-webhook', () => emptyForm);
  const change = (changes: Partial<WebhookForm>) => setForm({ ...form, ...changes });
  const create = useMutation({
    mutationFn: async () => {
      const input = {
        url: form.url.trim(),
        ...(form.kind === '' ? {} : { kinds: [form.kind] }),
        ...(form.project === '' ? {} : { project: form.project }),
      };
      const { createWebhook } = await execute(ConsoleCreateWebhookDocument, { input });
      assertDone(createWebhook.userErrors);
      return createWebhook.secret;
    },
    onSuccess: () => {
      setForm(emptyForm);
      void queries.invalidateQueries();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <Card title="New webhook">
      <form className="filters" onSubmit={submit}>
        <label>
          <span>Address (https)</span>
          <input
            type="url"
            required
            placeholder="https://example.org/hook"
            value={form.url}
            onChange={(event) => change({ url: event.target.value })}
          />
        </label>
        <label>
          <span>Notices</span>
          <select value={form.kind} onChange={(event) => change({ kind: event.target.value as NoticeKind | '' })}>
            <option value="">All</option>
            {kinds.map((each) => (
              <option key={each} value={each}>
                {noticeLabels[each]}
              </option>
            ))}
          </select>
        </label>
        {viewer.projects.length > 0 && (
          <label>
            <span>Project</span>
            <select value={form.project} onChange={(event) => change({ project: event.target.value })}>
              <option value="">
                {isOperator ? 'The whole site' : viewer.projects.length === 1 ? 'Default' : 'Choose one…'}
              </option>
              {viewer.projects.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        <button type="submit" className="primary" disabled={create.isPending}>
          Create webhook
        </button>
      </form>
      {create.error && (
        <p className="error" role="alert">
          {create.error.message}
        </p>
      )}
      {create.data && (
        <p role="status">
          The secret that signs deliveries is shown this once: <code>{create.data}</code>
        </p>
      )}
    </Card>
  );
}
