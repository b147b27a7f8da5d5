import type { Command } from 'commander';
import { actionTable } from '../client/actions.ts';
import { type Moment, momentOption } from '../client/arguments.ts';
import {
  addServerOptions,
  assertAccepted,
  type Client,
  connect,
  readAll,
  type ServerOptions,
} from '../client/client.ts';
import { printDisplacement } from '../client/displacement.ts';
import {
  type Collisions,
  NodeHostDocument,
  NodeReservationsDocument,
  type NodeState,
  type ReservationRowFragment,
  SetNodeStateDocument,
} from '../client/generated/operations.ts';
import { resolveMoments } from '../client/moments.ts';
import { findNode, hostLines, showStateChange } from '../client/nodes.ts';
import { reservationTable } from '../client/reservations.ts';
import { showAmounts } from '../client/show.ts';
import { addOutputOptions, type OutputOptions, printOne } from '../output.ts';
import { CliError, type Terminal } from '../terminal.ts';
import { plain } from '../text.ts';
import { nodeInventory } from './node-inventory.ts';

interface NodeOptions extends ServerOptions, OutputOptions {
  readonly from: Moment;
  readonly to: Moment;
}

export default function node(command: Command, terminal: Terminal): void {
  for (const { name, description, state } of changes) {
    const sub = addOutputOptions(addServerOptions(command.command(name).description(description)))
      .argument('<node>', 'number or host name of a node')
      .option('--refuse', 'refuse if a lease with a promised time would be displaced')
      .option('--reason <text>', 'why, for people');
    if (state !== 'UP') sub.option('--dry-run', 'print what would happen, and change nothing');
    sub.action((wanted: string, _: ChangeOptions, own: Command) =>
      // The options that both commands have are given to the outer one.
      change(wanted, state, own.optsWithGlobals<ChangeOptions>(), terminal),
    );
  }
  nodeInventory(command, terminal);
  addOutputOptions(addServerOptions(command))
    .argument('<node>', 'number or host name of a node')
    .option('--from <instant>', 'reservations that end after it (default: now)', momentOption, { offset: 0 })
    .option('--to <instant>', 'reservations that start before it (default: +1d)', momentOption, {
      offset: 86_400_000,
    })
    .action(async (wanted: string, options: NodeOptions) => {
      const client = connect(options);
      const [from = '', to = ''] = await resolveMoments(client, [
        ['--from', options.from],
        ['--to', options.to],
      ]);
      const found = await findNode(client, wanted, from);
      const reservations = await reservationsOf(client, found.id, from, to);
      const { node: own } = await client.request(NodeHostDocument, { id: found.id });
      const { actions, host } = own !== null && 'actions' in own ? own : { actions: null, host: null };
      const calls = actions?.nodes ?? [];
      printOne(terminal, options, { ...found, reservations, host, actions: calls }, () => {
        const { number, hostname, state, stateChange, capacity, available } = found;
        const facts: (readonly [string, string | null])[] = [
          ['since', stateChange && showStateChange(stateChange)],
          ['capacity', showAmounts(capacity)],
          ['free', showAmounts(available)],
          ...hostLines(host).map((line) => ['host', line] as const),
        ];
        const head = facts.map(([name, value]) => (value === null ? '' : `${name.padEnd(9)} ${value}\n`));
        const table =
          reservations.length === 0 ? 'No reservations.\n' : reservationTable(reservations, terminal.tableWidth);
        const told = calls.length === 0 ? '' : `\n${actionTable(calls, 'node', terminal.tableWidth)}`;
        return `node ${number}    ${plain(hostname)}, ${state}\n${head.join('')}\n${table}${told}`;
      });
    });
}

async function reservationsOf(client: Client, id: string, from: string, to: string): Promise<ReservationRowFragment[]> {
  return readAll<ReservationRowFragment>(async (after, first) => {
    const { node } = await client.request(NodeReservationsDocument, { id, from, to, first, after });
    if (node === null || !('reservations' in node)) throw new CliError('the node is gone');
    return node.reservations;
  });
}

interface ChangeOptions extends ServerOptions, OutputOptions {
  readonly dryRun?: boolean;
  readonly refuse?: boolean;
  readonly reason?: string;
}

const changes: readonly { readonly name: string; readonly description: string; readonly state: NodeState }[] = [
  {
    name: 'drain',
    description: 'Let running leases end, and start nothing new on the node.',
    state: 'DRAINING',
  },
  { name: 'resume', description: 'Use the node again.', state: 'UP' },
  {
    name: 'down',
    description: 'The node has failed: what runs there is lost and planned anew.',
    state: 'DOWN',
  },
];

async function change(wanted: string, state: NodeState, options: ChangeOptions, terminal: Terminal): Promise<void> {
  const client = connect(options);
  const { id } = await findNode(client, wanted);
  const { dryRun, reason, refuse } = options;
  const collisions: Collisions = refuse ? 'REFUSE' : 'DISPLACE';
  const input = { id, state, reason, collisions, ...(dryRun && { dryRun }) };
  const {
    node: changed,
    displaced,
    plan,
    userErrors,
  } = (await client.request(SetNodeStateDocument, { input })).setNodeState;
  assertAccepted(userErrors.map((refusal) => ({ ...refusal, path: null })));
  if (dryRun) {
    printDisplacement(plan, options, terminal);
    return;
  }
  if (changed === null) throw new CliError('the server answered without a node [UNEXPECTED_ANSWER]');
  const numbers = displaced.map(({ number }) => number);
  printOne(terminal, options, { ...changed, displaced: numbers }, () => {
    const others = numbers.length === 0 ? '' : `Displaced: ${numbers.join(', ')}\n`;
    return `node ${changed.number} (${plain(changed.hostname)}) is ${changed.state}\n${others}`;
  });
}
