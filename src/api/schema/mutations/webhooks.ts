import type { NoticeKind } from '../../../engine/ports.ts';
import { hasRole, type RecordWithin } from '../../../identity/index.ts';
import { maxWebhooks } from '../../../notices/index.ts';
import type { ApiContext } from '../../context.ts';
import { encodeGlobalId } from '../../global-id.ts';
import { maxUrlLength } from '../../limits.ts';
import type { WebhookRow } from '../../read/webhooks.ts';
import { builder } from '../builder.ts';
import { knownValues, NoticeKindEnum } from '../refs.ts';
import { Webhook, WebhookDelivery } from '../webhook.ts';
import { keyDescription, once } from './once.ts';
import { projectOfRequest } from './ownership.ts';
import { numberAt, payload, payloadType, Refused, refuse } from './payload.ts';
import { userError } from './user-error.ts';

const secretLengths = { min: 16, max: 200 };

const CreateWebhookInput = builder.inputType('CreateWebhookInput', {
  description: 'A new webhook.',
  fields: (t) => ({
    url: t.string({ required: true, description: 'Where deliveries are posted: an https URL.' }),
    kinds: t.field({
      type: [NoticeKindEnum],
      description: 'The kinds of notices that it gets. Without it, or empty, all.',
    }),
    project: t.id({
      description:
        'It gets notices of leases of this project. Default: the only project of the principal; for operators, all notices of the site.',
    }),
    secret: t.string({
      description: `Signs deliveries: ${secretLengths.min} to ${secretLengths.max} characters. Without it, one is made.`,
    }),
    idempotencyKey: t.string({
      description: `${keyDescription('webhook')} The secret is not shown again.`,
    }),
  }),
});

const UpdateWebhookInput = builder.inputType('UpdateWebhookInput', {
  description: 'Changes of a webhook. What is not given stays as it is.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Its global id.' }),
    url: t.string({ description: 'Where deliveries are posted: an https URL.' }),
    kinds: t.field({
      type: [NoticeKindEnum],
      description: 'The kinds of notices that it gets from now on. Empty: all.',
    }),
    active: t.boolean({
      description: 'True: it gets deliveries, at once those that waited while it was paused. False: it gets none.',
    }),
    secret: t.string({ description: 'Signs deliveries from now on.' }),
  }),
});

const DeleteWebhookInput = builder.inputType('DeleteWebhookInput', {
  description: 'The webhook to delete.',
  fields: (t) => ({ id: t.id({ required: true, description: 'Its global id.' }) }),
});

const TestWebhookInput = builder.inputType('TestWebhookInput', {
  description: 'The webhook to test.',
  fields: (t) => ({ id: t.id({ required: true, description: 'Its global id.' }) }),
});

interface Created {
  readonly number: number;
  /** Null for a repeated request. */
  readonly secret: string | null;
}

const CreateWebhookPayload = payloadType<Created>(
  'CreateWebhookPayload',
  'The created webhook, or why it was not created.',
  (t) => ({
    webhook: t.field({
      type: Webhook,
      nullable: true,
      description: 'The webhook. Null if there are errors.',
      resolve: ({ result }, _args, { read }) => (result === null ? null : read.notices.webhook(result.number)),
    }),
    secret: t.string({
      nullable: true,
      description:
        'The secret that signs deliveries. It is shown this once: null when the request is repeated under its idempotency key. `updateWebhook` sets another one.',
      resolve: ({ result }) => result?.secret ?? null,
    }),
  }),
);

const UpdateWebhookPayload = payloadType<number>(
  'UpdateWebhookPayload',
  'The updated webhook, or why it was not updated.',
  (t) => ({
    webhook: t.field({
      type: Webhook,
      nullable: true,
      description: 'The webhook. Null if there are errors.',
      resolve: ({ result }, _args, { read }) => (result === null ? null : read.notices.webhook(result)),
    }),
  }),
);

const DeleteWebhookPayload = payloadType<number>(
  'DeleteWebhookPayload',
  'The deleted webhook, or why it was not deleted.',
  (t) => ({
    deletedId: t.id({
      nullable: true,
      description: 'Its global id. Null if there are errors.',
      resolve: ({ result }) => (result === null ? null : encodeGlobalId('Webhook', result)),
    }),
  }),
);

interface Tested {
  readonly number: number;
  readonly delivery: number;
}

const TestWebhookPayload = payloadType<Tested>(
  'TestWebhookPayload',
  'The delivery of the test, or why there is none.',
  (t) => ({
    delivery: t.field({
      type: WebhookDelivery,
      nullable: true,
      description: 'The delivery: PENDING at first, then SUCCEEDED or FAILED. Null if there are errors.',
      resolve: ({ result }, _args, { read }) => (result === null ? null : read.notices.delivery(result.delivery)),
    }),
  }),
);

/** Throws Refused: WEBHOOK_NOT_FOUND also for one that the principal may not see. */
async function webhookAt({ read }: ApiContext, id: string): Promise<WebhookRow> {
  const number = numberAt('Webhook', id, 'input', 'id');
  const webhook = await read.notices.webhook(number);
  return webhook ?? refuse('WEBHOOK_NOT_FOUND', `Webhook ${number} does not exist.`, 'input', 'id');
}

interface Checked {
  readonly url?: string | null | undefined;
  readonly secret?: string | null | undefined;
}

/** Throws Refused. */
function check({ services }: ApiContext, { url, secret }: Checked): void {
  const errors = [];
  if (typeof url === 'string') {
    const isLong = url.length > maxUrlLength;
    const fault = isLong ? `It has more than ${maxUrlLength} characters.` : services.webhooks.faultOf(url);
    if (fault !== null) {
      errors.push(userError('URL_NOT_ALLOWED', `The URL cannot be called. ${fault}`, 'input', 'url'));
    }
  }
  const { min, max } = secretLengths;
  if (typeof secret === 'string' && !(secret.length >= min && secret.length <= max && /^[!-~]+$/.test(secret))) {
    const message = `A secret has ${min} to ${max} printable ASCII characters.`;
    errors.push(userError('INVALID_REQUEST', message, 'input', 'secret'));
  }
  if (errors.length > 0) throw new Refused(errors);
}

function kindsOf(kinds: readonly (NoticeKind | 'UNKNOWN')[] | null | undefined) {
  if (kinds?.includes('UNKNOWN')) {
    refuse('INVALID_REQUEST', 'No notice is of the kind UNKNOWN.', 'input', 'kinds');
  }
  return knownValues(kinds);
}

async function createWebhook(
  input: typeof CreateWebhookInput.$inferInput,
  context: ApiContext,
  within: RecordWithin,
): Promise<Created> {
  const { principal, services } = context;
  check(context, input);
  const kinds = kindsOf(input.kinds) ?? [];
  const isForSite = typeof input.project !== 'string' && hasRole(principal, 'OPERATOR');
  const project = isForSite ? null : await projectOfRequest(context, input.project, 'input', 'project');
  if (project === null && !isForSite) {
    const message = 'The principal is a member of no project, so there is nothing to deliver.';
    refuse('PROJECT_REQUIRED', message, 'input', 'project');
  }
  if (!(await services.webhooks.mayAdd(project))) {
    const message = `There are ${maxWebhooks} webhooks already, which is the maximum. Delete one first.`;
    refuse('INVALID_REQUEST', message, 'input', 'project');
  }
  const { url, secret = null } = input;
  return services.webhooks.create({ url, kinds, project, owner: principal.name, secret }, within);
}

async function updateWebhook(input: typeof UpdateWebhookInput.$inferInput, context: ApiContext): Promise<number> {
  const { number } = await webhookAt(context, input.id);
  check(context, input);
  const { active, secret, url } = input;
  const kinds = kindsOf(input.kinds);
  const changes = {
    ...(typeof url === 'string' && { url }),
    ...(kinds !== null && { kinds }),
    ...(typeof active === 'boolean' && { active }),
    ...(typeof secret === 'string' && { secret }),
  };
  await context.services.webhooks.update(number, changes, context.audit?.within);
  return number;
}

builder.mutationFields((t) => ({
  createWebhook: t.field({
    type: CreateWebhookPayload,
    description: 'Creates a webhook, which gets notices from now on.',
    args: { input: t.arg({ type: CreateWebhookInput, required: true, description: 'The webhook.' }) },
    resolve: (_root, { input }, context) =>
      payload(context, async () => {
        const { made, number } = await once(context, 'createWebhook', input, (within) =>
          createWebhook(input, context, within),
        );
        if (made) return made;
        if (!(await context.read.notices.webhook(number))) {
          const message = 'The webhook that was created with this idempotency key does not exist any more.';
          refuse('WEBHOOK_NOT_FOUND', message, 'input', 'idempotencyKey');
        }
        return { number, secret: null };
      }),
  }),
  updateWebhook: t.field({
    type: UpdateWebhookPayload,
    description: 'Changes a webhook, or makes it active again after it was paused.',
    args: { input: t.arg({ type: UpdateWebhookInput, required: true, description: 'The changes.' }) },
    resolve: (_root, { input }, context) => payload(context, () => updateWebhook(input, context)),
  }),
  deleteWebhook: t.field({
    type: DeleteWebhookPayload,
    description: 'Deletes a webhook, with its deliveries.',
    args: { input: t.arg({ type: DeleteWebhookInput, required: true, description: 'The webhook.' }) },
    resolve: (_root, { input }, context) =>
      payload(context, async () => {
        const { number } = await webhookAt(context, input.id);
        await context.services.webhooks.delete(number, context.audit?.within);
        return number;
      }),
  }),
  testWebhook: t.field({
    type: TestWebhookPayload,
    description: 'Delivers a test to a webhook once, in whatever state it is. Returns before it is delivered.',
    args: { input: t.arg({ type: TestWebhookInput, required: true, description: 'The webhook.' }) },
    resolve: (_root, { input }, context) =>
      payload(context, async () => {
        const { number } = await webhookAt(context, input.id);
        const delivery = await context.services.webhooks.test(number, context.audit?.within);
        return { number, delivery: Number(delivery) };
      }),
  }),
}));
