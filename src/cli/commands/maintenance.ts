import type { Command } from 'commander';
import { checkHelp, printAcceptance } from '../client/acceptance.ts';
import { type Moment, momentOption } from '../client/arguments.ts';
import { addServerOptions, assertAccepted, connect, readAll, type ServerOptions } from '../client/client.ts';
import { printDisplacement } from '../client/displacement.ts';
import {
  type Collisions,
  EndMaintenanceDocument,
  MaintenanceDocument,
  type MaintenanceRowFragment,
  PlanMaintenanceDocument,
} from '../client/generated/operations.ts';
import { keyHelp, keyInput } from '../client/idempotency.ts';
import { resolveMoments } from '../client/moments.ts';
import { findNode } from '../client/nodes.ts';
import { showInstant } from '../client/show.ts';
import { addNotes } from '../help.ts';
import { addOutputOptions, type OutputOptions, printList, printOne } from '../output.ts';
import { formatTable } from '../table.ts';
import { CliError, type Terminal } from '../terminal.ts';

type Options = ServerOptions & OutputOptions;

interface ListOptions extends Options {
  readonly from: Moment;
  readonly to: Moment;
}

interface PlanOptions extends Options {
  readonly start: Moment;
  readonly end: Moment;
  readonly reason?: string;
  readonly displace?: boolean;
  readonly dryRun?: boolean;
  readonly key?: string;
}

const year = 365 * 86_400_000;

export default function maintenance(command: Command, terminal: Terminal): void {
  const sub = (name: string, description: string) =>
    addOutputOptions(addServerOptions(command.command(name).description(description)));

  sub('list', 'List planned maintenance.')
    .option('--from <instant>', 'maintenance that ends after it (default: now)', momentOption, { offset: 0 })
    .option('--to <instant>', 'maintenance that starts before it (default: +365d)', momentOption, {
      offset: year,
    })
    .action(async (options: ListOptions) => {
      const client = connect(options);
      const [from = '', to = ''] = await resolveMoments(client, [
        ['--from', options.from],
        ['--to', options.to],
      ]);
      const found = await readAll(
        async (after, first) => (await client.request(MaintenanceDocument, { from, to, first, after })).maintenance,
      );
      printList(terminal, options, found, () =>
        found.length === 0 ? 'No maintenance.\n' : table(found, terminal.tableWidth),
      );
    });

  const plan = sub('plan', 'Plan maintenance of nodes.')
    .argument('<node...>', 'numbers or host names of nodes')
    .requiredOption('--start <instant>', 'when it begins, such as +2h', momentOption)
    .requiredOption('--end <instant>', 'when it ends, such as +4h', momentOption)
    .option('--reason <text>', 'why')
    .option('--displace', 'also where it displaces leases with a promised time')
    .option('--key <key>', keyHelp)
    .option('--dry-run', 'print what would happen, and plan nothing')
    .action(async (wanted: readonly string[], options: PlanOptions) => {
      const client = connect(options);
      const nodes: string[] = [];
      for (const each of wanted) nodes.push((await findNode(client, each)).id);
      const [start = '', end = ''] = await resolveMoments(client, [
        ['--start', options.start],
        ['--end', options.end],
      ]);
      const collisions: Collisions = options.displace ? 'DISPLACE' : 'REFUSE';
      const { dryRun, key, reason = null } = options;
      const input = {
        ...{ nodes, start, end, reason, collisions },
        ...(dryRun && { dryRun }),
        ...keyInput(key),
      };
      const payload = (await client.request(PlanMaintenanceDocument, { input })).planMaintenance;
      assertAccepted(payload.userErrors);
      if (dryRun) printDisplacement(payload.plan, options, terminal);
      else show(payload, options, terminal);
    });
  addNotes(
    plan,
    terminal,
    'Without --displace, maintenance is refused if an advance reservation or a deadline could not be kept.',
  );

  sub('end', 'End maintenance now; before it has begun, cancel it.')
    .argument('<id>', 'ID of the maintenance, as list prints it')
    .option('--dry-run', checkHelp)
    .action(async (id: string, options: Options & { readonly dryRun?: boolean }) => {
      const { dryRun = false } = options;
      const payload = (await connect(options).request(EndMaintenanceDocument, { id, dryRun })).endMaintenance;
      assertAccepted(payload.userErrors);
      if (dryRun) printAcceptance(options, terminal);
      else show(payload, options, terminal);
    });
}

interface Payload {
  readonly maintenance: MaintenanceRowFragment | null;
  readonly displaced: readonly { readonly number: number }[];
  readonly userErrors: Parameters<typeof assertAccepted>[0];
}

function show(payload: Payload, options: Options, terminal: Terminal): void {
  const { maintenance: found, userErrors } = payload;
  assertAccepted(userErrors);
  if (found === null) throw new CliError('the server answered without a maintenance [UNEXPECTED_ANSWER]');
  const displaced = payload.displaced.map(({ number }) => number);
  printOne(terminal, options, { ...found, displaced }, () => {
    const others = displaced.length === 0 ? '' : `Displaced: ${displaced.join(', ')}\n`;
    return `${table([found], terminal.tableWidth)}${others}`;
  });
}

function table(maintenances: readonly MaintenanceRowFragment[], width: number): string {
  return formatTable(
    [
      { title: 'START (UTC)' },
      { title: 'END (UTC)' },
      { title: 'REASON', drop: 1 },
      { title: 'NODES', below: true },
      // `maintenance end` needs it, so it is shown whole in a terminal of any width.
      { title: 'ID', below: true },
    ],
    maintenances.map(({ id, start, end, reason, nodes }) => [
      showInstant(start),
      showInstant(end),
      reason ?? '',
      nodes.map(({ hostname }) => hostname).join(' '),
      `ID ${id}`,
    ]),
    width,
  );
}
