/** `node add`, `node update` and `node remove`. */
import type { Command } from 'commander';
import { checkHelp, printAcceptance } from '../client/acceptance.ts';
import { capacityOption, labelOption } from '../client/arguments.ts';
import { addServerOptions, assertAccepted, connect, type ServerOptions } from '../client/client.ts';
import {
  AddNodesDocument,
  type AddNodesMutation,
  RemoveNodeDocument,
  UpdateNodeDocument,
} from '../client/generated/operations.ts';
import { keyHelp, keyInput } from '../client/idempotency.ts';
import { findNode } from '../client/nodes.ts';
import { showAmounts } from '../client/show.ts';
import { addNotes } from '../help.ts';
import { addOutputOptions, type OutputOptions, printList, printOne } from '../output.ts';
import { formatTable } from '../table.ts';
import { CliError, type Terminal } from '../terminal.ts';
import { plain } from '../text.ts';

interface AddOptions extends ServerOptions, OutputOptions {
  readonly capacity: ReturnType<typeof capacityOption>;
  readonly address?: string;
  readonly dryRun?: boolean;
  readonly key?: string;
  readonly label?: ReturnType<typeof labelOption>;
}

interface UpdateOptions extends ServerOptions, OutputOptions {
  readonly capacity?: ReturnType<typeof capacityOption>;
  /** False: `--no-address`. */
  readonly address?: string | false;
  readonly dryRun?: boolean;
  /** False: `--no-labels`. */
  readonly labels?: boolean;
  readonly label?: ReturnType<typeof labelOption>;
}

interface RemoveOptions extends ServerOptions, OutputOptions {
  readonly dryRun?: boolean;
}

export function nodeInventory(command: Command, terminal: Terminal): void {
  const sub = (name: string, description: string) =>
    addOutputOptions(addServerOptions(command.command(name).description(description)));

  sub('add', 'Add equal nodes to the site.')
    .argument('<hostname...>', 'host names of the new nodes')
    .requiredOption('--capacity <amounts>', 'capacity of each node, such as "CPU:400 Memory:8192"', capacityOption)
    .option('--address <address>', 'where the host is reached, if not under its host name')
    .option('--label <key=value>', 'label of each node, such as rack=b; may be repeated', labelOption)
    .option('--key <key>', keyHelp)
    .option('--dry-run', checkHelp)
    .action(async (hostnames: readonly string[], _: AddOptions, own: Command) => {
      // The options that both commands have are given to the outer one.
      const options = own.optsWithGlobals<AddOptions>();
      const { address, capacity, dryRun, key, label } = options;
      if (address !== undefined && hostnames.length > 1) {
        throw new CliError('--address does not go with several nodes', 2);
      }
      const described = { capacity, address: address ?? null, labels: label ?? null };
      const input = {
        nodes: hostnames.map((hostname) => ({ hostname, ...described })),
        ...keyInput(key),
        ...(dryRun && { dryRun }),
      };
      const { nodes, userErrors } = (await connect(options).request(AddNodesDocument, { input })).addNodes;
      assertAccepted(userErrors);
      if (dryRun) return printAcceptance(options, terminal);
      printList(terminal, options, nodes, () => table(nodes, terminal.tableWidth));
    });

  const update = sub('update', 'Change the capacity, address or labels of a node.')
    .argument('<node>', 'number or host name of a node')
    .option('--capacity <amounts>', 'its new capacity, such as "CPU:400 Memory:8192"', capacityOption)
    .option('--address <address>', 'where its host is reached from now on')
    .option('--no-address', 'its host is reached under its host name')
    .option('--label <key=value>', 'all its labels from now on; may be repeated', labelOption)
    .option('--no-labels', 'it has no labels from now on')
    .option('--dry-run', checkHelp)
    .action(async (wanted: string, _: UpdateOptions, own: Command) => {
      const options = own.optsWithGlobals<UpdateOptions>();
      const { address, capacity, dryRun, label, labels } = options;
      if (label && labels === false) throw new CliError('--label does not go with --no-labels', 2);
      const changes = {
        ...(capacity && { capacity }),
        ...(address !== undefined && { address: address === false ? null : address }),
        ...(label && { labels: label }),
        ...(labels === false && { labels: [] }),
      };
      if (Object.keys(changes).length === 0)
        throw new CliError('expected --capacity, --address, --no-address, --label or --no-labels', 2);
      const client = connect(options);
      const { id } = await findNode(client, wanted);
      const input = { id, ...changes, ...(dryRun && { dryRun }) };
      const { node, userErrors } = (await client.request(UpdateNodeDocument, { input })).updateNode;
      assertAccepted(userErrors.map((refusal) => ({ ...refusal, path: null })));
      if (dryRun) return printAcceptance(options, terminal);
      if (node === null) throw new CliError('the server answered without a node [UNEXPECTED_ANSWER]');
      printOne(terminal, options, node, () => table([node], terminal.tableWidth));
    });
  addNotes(
    update,
    terminal,
    'The capacity changes only while no lease uses the node: drain it first, and wait until they have ended.',
  );

  const remove = sub('remove', 'Remove a node from the site.')
    .argument('<node>', 'number or host name of a node')
    .option('--dry-run', checkHelp)
    .action(async (wanted: string, _: RemoveOptions, own: Command) => {
      const options = own.optsWithGlobals<RemoveOptions>();
      const { dryRun = false } = options;
      const client = connect(options);
      const { hostname, id, number } = await findNode(client, wanted);
      const { userErrors } = (await client.request(RemoveNodeDocument, { id, dryRun })).removeNode;
      // The path names the id, which the user has not typed.
      assertAccepted(userErrors.map((refusal) => ({ ...refusal, path: null })));
      if (dryRun) return printAcceptance(options, terminal);
      printOne(terminal, options, { number, hostname }, () => `node ${number} (${plain(hostname)}) is removed\n`);
    });
  addNotes(
    remove,
    terminal,
    'A node that leases use is not removed: drain it first, and wait until they have ended.',
    'Its number is not used again.',
  );
}

function table(nodes: AddNodesMutation['addNodes']['nodes'], width: number): string {
  return formatTable(
    [{ title: 'NODE', align: 'right' }, { title: 'HOSTNAME' }, { title: 'CAPACITY', drop: 1 }],
    nodes.map(({ number, hostname, capacity }) => [String(number), hostname, showAmounts(capacity)]),
    width,
  );
}
