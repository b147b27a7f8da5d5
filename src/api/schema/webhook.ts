/** Webhooks: addresses to which notices are sent. */
import type { DeliveryRow, WebhookRow } from '../read/webhooks.ts';
import { builder } from './builder.ts';
import { Notice, NoticeKindEnum, noticeKindOf, Project, totalCount } from './refs.ts';

const WebhookState = builder.enumType('WebhookState', {
  description: 'Whether a webhook gets deliveries.',
  values: {
    ACTIVE: { description: 'It gets deliveries.' },
    PAUSED: {
      description: 'Deliveries to it failed for long. They wait, and new ones with them, until it is active again.',
    },
    DISABLED: { description: 'It gets no deliveries, and what happens meanwhile is not delivered later.' },
  } as const,
});

const DeliveryState = builder.enumType('DeliveryState', {
  description: 'What has become of a delivery.',
  values: {
    PENDING: { description: 'It has not been delivered yet.' },
    SUCCEEDED: { description: 'Its receiver has answered with a status of 2xx.' },
    FAILED: { description: 'A test that was not delivered. (Notices are repeated instead.)' },
  } as const,
});

export const Webhook = builder.node(builder.objectRef<WebhookRow>('Webhook'), {
  description: 'An address to which notices are sent. Its secret is shown once, when it is created.',
  id: { resolve: ({ number }) => number },
  loadWithoutCache: (number, { read }) => read.notices.webhook(Number(number)),
});

export const WebhookDelivery = builder.node(builder.objectRef<DeliveryRow>('WebhookDelivery'), {
  description: 'A notice on its way to a webhook, or a test.',
  id: { resolve: ({ number }) => number },
  loadWithoutCache: (number, { read }) => read.notices.delivery(Number(number)),
});

const WebhookConnection = builder.connectionObject(
  { type: Webhook, name: 'WebhookConnection', description: 'A page of webhooks.', fields: totalCount },
  { name: 'WebhookEdge', description: 'A webhook and its position in the list.' },
);

const WebhookDeliveryConnection = builder.connectionObject(
  {
    type: WebhookDelivery,
    name: 'WebhookDeliveryConnection',
    description: 'A page of deliveries.',
    fields: totalCount,
  },
  { name: 'WebhookDeliveryEdge', description: 'A delivery and its position in the list.' },
);

builder.objectFields(Webhook, (t) => ({
  url: t.exposeString('url', { description: 'Where deliveries are posted.' }),
  kinds: t.field({
    type: [NoticeKindEnum],
    description: 'The kinds of notices that it gets. Empty: all.',
    resolve: ({ kinds }) => kinds.map(noticeKindOf),
  }),
  project: t.field({
    type: Project,
    nullable: true,
    description: 'It gets notices of leases of this project. Null: all notices of the site.',
    resolve: ({ projectNumber }, _args, { read }) => (projectNumber === null ? null : read.project(projectNumber)),
  }),
  owner: t.exposeString('owner', { description: 'The name of the principal that created it.' }),
  state: t.field({
    type: WebhookState,
    description: 'Whether it gets deliveries.',
    resolve: ({ state }) => state,
  }),
  pauseReason: t.exposeString('pauseReason', {
    nullable: true,
    description: 'PAUSED: which delivery failed, and why.',
  }),
  pausedAt: t.expose('pausedAt', {
    type: 'DateTime',
    nullable: true,
    description: 'PAUSED: since when, by the wall clock.',
  }),
  createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
  deliveries: t.connection(
    {
      type: WebhookDelivery,
      description: 'Its deliveries, oldest first.',
      args: { states: t.arg({ type: [DeliveryState], description: 'Only in one of these states.' }) },
      resolve: (webhook, { states, ...page }, { read }) => read.notices.deliveries(webhook, states ?? null, page),
    },
    WebhookDeliveryConnection,
  ),
}));

builder.objectFields(WebhookDelivery, (t) => ({
  deliveryId: t.string({
    description: 'The value of the header Leasegraph-Delivery, the same for each attempt.',
    resolve: ({ id }) => id,
  }),
  notice: t.field({
    type: Notice,
    nullable: true,
    description: 'The notice. Null for a test.',
    resolve: ({ noticeSequence }, _args, { read }) =>
      noticeSequence === null ? null : read.notices.notice(Number(noticeSequence)),
  }),
  state: t.field({
    type: DeliveryState,
    description: 'What has become of it.',
    resolve: ({ state }) => state,
  }),
  attempts: t.exposeInt('attempts', {
    description: 'The number of attempts since it was made, or since its webhook became active again.',
  }),
  createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
  lastAttemptAt: t.expose('lastAttemptAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When it was last attempted.',
  }),
  nextAttemptAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'PENDING: when it is attempted next, if its webhook is active and nothing is before it.',
    resolve: ({ nextAttemptAt, state }) => (state === 'PENDING' ? nextAttemptAt : null),
  }),
  deliveredAt: t.expose('deliveredAt', {
    type: 'DateTime',
    nullable: true,
    description: 'SUCCEEDED: when it was delivered.',
  }),
  status: t.exposeInt('status', { nullable: true, description: 'The HTTP status of the last answer.' }),
  error: t.exposeString('error', { nullable: true, description: 'Why the last attempt failed.' }),
}));

builder.queryField('webhooks', (t) =>
  t.connection(
    {
      type: Webhook,
      nullable: true,
      description: 'The webhooks of the projects of which the principal is a member; all for operators.',
      resolve: (_root, page, { read }) => read.notices.webhooks(page),
    },
    WebhookConnection,
  ),
);
