import type { Command } from 'commander';
import { noticeKind, wholeNumber } from '../client/arguments.ts';
import { repeated } from '../client/choice.ts';
import {
  addServerOptions,
  assertAccepted,
  type Client,
  connect,
  newest,
  readAll,
  type ServerOptions,
} from '../client/client.ts';
import {
  CreateWebhookDocument,
  DeleteWebhookDocument,
  type DeliveryRowFragment,
  type NoticeKind,
  TestWebhookDocument,
  UpdateWebhookDocument,
  WebhookDeliveriesDocument,
  WebhookDeliveryDocument,
  type WebhookRowFragment,
  WebhooksDocument,
} from '../client/generated/operations.ts';
import { keyHelp, keyInput, secretNotShown } from '../client/idempotency.ts';
import { findProject } from '../client/projects.ts';
import { showInstant } from '../client/show.ts';
import { addOutputOptions, type OutputOptions, printList, printOne } from '../output.ts';
import { formatTable } from '../table.ts';
import { CliError, type Terminal } from '../terminal.ts';
import { plain } from '../text.ts';

type Options = ServerOptions & OutputOptions;

interface KindOptions extends Options {
  readonly kind?: readonly NoticeKind[];
}

/** How often the outcome of a test is asked for, and for how long (ms). */
const pollInterval = 200;
const testTimeout = 60_000;

export default function webhook(command: Command, terminal: Terminal): void {
  const sub = (name: string, description: string) =>
    addOutputOptions(addServerOptions(command.command(name).description(description)));
  const addKinds = (each: Command) =>
    each.option(
      '--kind <kind>',
      'only notices of this kind, such as lease-failed; may be repeated',
      repeated(noticeKind),
    );
  const print = (shown: WebhookRowFragment | null, options: Options): void => {
    if (shown === null) throw new CliError('the server answered without a webhook');
    printOne(terminal, options, shown, () => table([shown], terminal.tableWidth));
  };

  sub('list', 'List webhooks.').action(async (options: Options) => {
    const webhooks = await allWebhooks(connect(options));
    printList(terminal, options, webhooks, () =>
      webhooks.length === 0 ? 'No webhooks.\n' : table(webhooks, terminal.tableWidth),
    );
  });
  addKinds(sub('create', 'Create a webhook. Its secret is printed on standard output, this once.'))
    .argument('<url>', 'where notices are posted')
    .option('--project <project>', 'only notices of leases of this project')
    .option('--key <key>', keyHelp)
    .action(async (url: string, options: KindOptions & { readonly project?: string; readonly key?: string }) => {
      const client = connect(options);
      const { kind = [], project } = options;
      const input = {
        ...{ url, kinds: kind, ...keyInput(options.key) },
        ...(project === undefined ? {} : { project: (await findProject(client, project)).id }),
      };
      const { createWebhook } = await client.request(CreateWebhookDocument, { input });
      const { secret, userErrors, webhook: created } = createWebhook;
      assertAccepted(userErrors);
      if (created === null) throw new CliError('the server answered without a webhook');
      if (secret === null) throw secretNotShown('webhook', options.key);
      printOne(terminal, options, { ...created, secret }, () => {
        terminal.err(table([created], terminal.tableWidth));
        return `${secret}\n`;
      });
    });
  for (const [name, description, active] of [
    ['activate', 'Deliver to a webhook again, at once what has waited while it was paused.', true],
    ['disable', 'Deliver nothing to a webhook any more.', false],
  ] as const) {
    sub(name, description)
      .argument('<webhook>', 'id or URL of the webhook')
      .action(async (wanted: string, options: Options) => {
        const client = connect(options);
        const { id } = await findWebhook(client, wanted);
        const { updateWebhook } = await client.request(UpdateWebhookDocument, { input: { id, active } });
        assertAccepted(updateWebhook.userErrors);
        print(updateWebhook.webhook, options);
      });
  }
  sub('test', 'Deliver a test to a webhook. The exit status is 0 when it was delivered.')
    .argument('<webhook>', 'id or URL of the webhook')
    .action(async (wanted: string, options: Options) => {
      const client = connect(options);
      const { id } = await findWebhook(client, wanted);
      const { testWebhook } = await client.request(TestWebhookDocument, { input: { id } });
      assertAccepted(testWebhook.userErrors);
      if (testWebhook.delivery === null) throw new CliError('the server answered without a delivery');
      const delivery = await outcomeOf(client, testWebhook.delivery);
      printOne(terminal, options, delivery, () => deliveryTable([delivery], terminal.tableWidth));
      if (delivery.state !== 'SUCCEEDED') {
        throw new CliError(`the test was not delivered: ${plain(delivery.error ?? 'there is no answer yet')}`);
      }
    });
  sub('deliveries', 'List the newest deliveries of a webhook.')
    .argument('<webhook>', 'id or URL of the webhook')
    .option('--last <n>', 'number of deliveries, the newest ones', wholeNumber, 50)
    .option('--pending', 'only those that have not been delivered yet')
    .action(async (wanted: string, options: Options & { readonly last: number; readonly pending?: boolean }) => {
      const client = connect(options);
      const { id } = await findWebhook(client, wanted);
      const states = options.pending ? (['PENDING'] as const) : null;
      const found = await newest<DeliveryRowFragment>(options.last, async (last, before) => {
        const { node } = await client.request(WebhookDeliveriesDocument, { id, last, before, states });
        if (node === null || !('deliveries' in node)) {
          throw new CliError(`there is no webhook "${wanted}" [WEBHOOK_NOT_FOUND]`);
        }
        return node.deliveries;
      });
      printList(terminal, options, found, () =>
        found.length === 0 ? 'No deliveries.\n' : deliveryTable(found, terminal.tableWidth),
      );
    });
  sub('delete', 'Delete a webhook, with its deliveries.')
    .argument('<webhook>', 'id or URL of the webhook')
    .action(async (wanted: string, options: Options) => {
      const client = connect(options);
      const found = await findWebhook(client, wanted);
      const { deleteWebhook } = await client.request(DeleteWebhookDocument, { input: { id: found.id } });
      assertAccepted(deleteWebhook.userErrors);
      print(found, options);
    });
}

async function allWebhooks(client: Client): Promise<WebhookRowFragment[]> {
  return readAll(async (after, first) => (await client.request(WebhooksDocument, { first, after })).webhooks);
}

async function findWebhook(client: Client, wanted: string): Promise<WebhookRowFragment> {
  const matching = (await allWebhooks(client)).filter(({ id, url }) => id === wanted || url === wanted);
  const [first, second] = matching;
  if (first === undefined) throw new CliError(`there is no webhook "${wanted}" [WEBHOOK_NOT_FOUND]`);
  if (second !== undefined) throw new CliError(`several webhooks have the URL ${wanted}; use the id`);
  return first;
}

async function outcomeOf(client: Client, made: DeliveryRowFragment): Promise<DeliveryRowFragment> {
  let delivery = made;
  for (let waited = 0; delivery.state === 'PENDING' && waited < testTimeout; waited += pollInterval) {
    await new Promise((resolve) => setTimeout(resolve, pollInterval));
    const { node } = await client.request(WebhookDeliveryDocument, { id: made.id });
    if (node !== null && 'deliveryId' in node) delivery = node as DeliveryRowFragment;
  }
  return delivery;
}

function table(webhooks: readonly WebhookRowFragment[], width: number): string {
  return formatTable(
    [
      { title: 'URL' },
      { title: 'STATE' },
      { title: 'PROJECT', drop: 2 },
      { title: 'KINDS', drop: 1 },
      { title: 'WHY PAUSED', drop: 3 },
      { title: 'ID', drop: 4 },
    ],
    webhooks.map(({ id, kinds, pauseReason, project, state, url }) => [
      plain(url),
      state,
      plain(project?.name ?? 'all'),
      kinds.length === 0 ? 'all' : kinds.join(' '),
      plain(pauseReason ?? ''),
      id,
    ]),
    width,
  );
}

function deliveryTable(deliveries: readonly DeliveryRowFragment[], width: number): string {
  return formatTable(
    [
      { title: 'NOTICE' },
      { title: 'STATE' },
      { title: 'ATTEMPTS', drop: 4 },
      { title: 'MADE (UTC)', drop: 3 },
      { title: 'STATUS', drop: 2 },
      { title: 'ERROR', drop: 5 },
      { title: 'DELIVERY', drop: 1 },
    ],
    deliveries.map(({ attempts, createdAt, deliveryId, error, notice, state, status }) => [
      notice === null ? 'test' : `${notice.sequence} ${notice.kind}`,
      state,
      String(attempts),
      showInstant(createdAt),
      status === null ? '' : String(status),
      plain(error ?? ''),
      deliveryId,
    ]),
    width,
  );
}
