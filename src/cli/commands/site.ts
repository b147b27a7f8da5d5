/** `site diff` and `site apply`: a configuration file and the site of a running server. */
import type { Command } from 'commander';
import {
  type ConfiguredSite,
  differenceLines,
  readConfigurationFile,
  type SchedulerDifference,
  type SiteDifference,
  schedulerDifferenceLine,
  schedulerDifferences,
  siteDifference,
} from '../../config/index.ts';
import { addServerOptions, type Client, connect, type ServerOptions } from '../client/client.ts';
import { AddNodesDocument, RemoveNodeDocument, UpdateNodeDocument } from '../client/generated/operations.ts';
import { amountsInput, labelsInput, siteInventory } from '../client/site.ts';
import { addNotes } from '../help.ts';
import { CliError, type Terminal } from '../terminal.ts';
import { plain } from '../text.ts';

interface Options extends ServerOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly exitCode?: boolean;
  readonly prune?: boolean;
  readonly dryRun?: boolean;
}

/** Maximum number of nodes per mutation. */
const maxAdded = 500;

export default function site(command: Command, terminal: Terminal): void {
  const sub = (name: string, description: string) =>
    addServerOptions(command.command(name).description(description))
      .option('--config <file>', 'configuration of the server (default: LEASEGRAPH_CONFIG)')
      .option('--json', 'print JSON');

  const diff = sub('diff', 'Show what applying a configuration file would change.')
    .option('--exit-code', 'exit with 1 if there are differences')
    .action(async (options: Options) => {
      const { difference, scheduler } = await compare(options);
      print(difference, scheduler, options, terminal);
      if (options.exitCode && (difference || scheduler.length > 0)) throw new CliError('');
    });
  addNotes(
    diff,
    terminal,
    '+ a node that would be added, ~ one that would be changed, - one that only the server has: it is removed with --prune, ! what cannot be changed.',
    'Options of the scheduler are not applied to a running server: they take effect when it starts with the file.',
  );

  const apply = sub('apply', 'Add and change nodes as a configuration file says.')
    .option('--prune', 'also remove nodes that are not in the file')
    .option('--dry-run', 'change nothing, and show what would be changed')
    .action(async (options: Options) => {
      const { client, difference, ids, scheduler } = await compare(options);
      if (options.dryRun || difference === null) return print(difference, scheduler, options, terminal);
      await applyDifference(client, difference, ids, options, terminal);
    });
  addNotes(
    apply,
    terminal,
    'A node that leases use keeps its capacity and is not removed: drain it, and apply again when they have ended.',
  );
}

async function compare(options: Options) {
  const file = options.config ?? process.env.LEASEGRAPH_CONFIG;
  if (!file) throw new CliError('no configuration file is named: use --config or LEASEGRAPH_CONFIG', 2);
  const configuration = readConfigurationFile(file);
  const configured: ConfiguredSite | null = configuration.site;
  if (configured === null) throw new CliError(`${file} has no site [INVALID_VALUE]`);
  const client = connect(options);
  const { ids, scheduler: used, site: stored } = await siteInventory(client);
  const scheduler = schedulerDifferences(used, configuration);
  return { client, ids, scheduler, difference: siteDifference(stored, configured) };
}

function print(
  difference: SiteDifference | null,
  scheduler: readonly SchedulerDifference[],
  { json }: Options,
  terminal: Terminal,
): void {
  if (json) {
    const { added = [], changed = [], fixed = [], removed = [] } = difference ?? {};
    terminal.out(`${JSON.stringify({ added, changed, removed, fixed, scheduler }, null, 2)}\n`);
    return;
  }
  const lines = difference === null ? [] : differenceLines(difference);
  const options = scheduler.map(schedulerDifferenceLine);
  if (lines.length + options.length === 0) terminal.out('No differences.\n');
  for (const line of [...lines, ...options]) terminal.out(`${plain(line)}\n`);
}

/** Each change is made by itself: what is refused does not keep the others from being made. */
async function applyDifference(
  client: Client,
  difference: SiteDifference,
  ids: ReadonlyMap<string, string>,
  { json, prune }: Options,
  terminal: Terminal,
): Promise<void> {
  const { added, changed, fixed, removed } = difference;
  const [impossible] = fixed;
  if (impossible !== undefined) {
    throw new CliError(`the server has another site than the file: ${impossible} [INVALID_VALUE]`);
  }
  const results: { readonly node: string; readonly change: string; readonly error: string | null }[] = [];
  const note = (nodes: readonly string[], change: string, [refusal]: readonly Refusal[]): void => {
    const error = refusal ? `${refusal.message} [${refusal.code}]` : null;
    for (const node of nodes) results.push({ node, change, error });
  };
  for (let at = 0; at < added.length; at += maxAdded) {
    const some = added.slice(at, at + maxAdded);
    const nodes = some.map(({ hostname, capacity, address, labels }) => ({
      ...{ hostname, address: address ?? null },
      capacity: amountsInput(capacity),
      labels: labelsInput(labels),
    }));
    const { addNodes } = await client.request(AddNodesDocument, { input: { nodes } });
    note(
      some.map(({ hostname }) => hostname),
      'added',
      addNodes.userErrors,
    );
  }
  for (const { details, hostname, update } of changed) {
    const { address, capacity, labels } = update;
    const input = {
      id: ids.get(hostname) ?? '',
      ...(capacity && { capacity: amountsInput(capacity) }),
      ...(address !== undefined && { address }),
      ...(labels && { labels: labelsInput(labels) }),
    };
    const { updateNode } = await client.request(UpdateNodeDocument, { input });
    note([hostname], details.join(', '), updateNode.userErrors);
  }
  if (prune) {
    for (const { hostname } of removed) {
      const { removeNode } = await client.request(RemoveNodeDocument, { id: ids.get(hostname) ?? '' });
      note([hostname], 'removed', removeNode.userErrors);
    }
  }
  const kept = prune ? [] : removed.map(({ hostname }) => hostname);
  if (json) terminal.out(`${JSON.stringify({ results, kept }, null, 2)}\n`);
  else {
    for (const { change, error, node } of results)
      terminal.out(plain(error === null ? `${node}: ${change}` : `${node}: not ${change}: ${error}`).concat('\n'));
    for (const node of kept)
      terminal.out(`${plain(node)}: kept, although it is not in the file (--prune removes it)\n`);
  }
  const refused = results.filter(({ error }) => error !== null).length;
  if (refused > 0) throw new CliError(`${refused} of ${results.length} changes were refused`);
}

interface Refusal {
  readonly code: string;
  readonly message: string;
}
