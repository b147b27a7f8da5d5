import type { Command } from 'commander';
import { durationOption, type Moment, momentOption } from '../client/arguments.ts';
import { choice } from '../client/choice.ts';
import { addServerOptions, connect, type ServerOptions } from '../client/client.ts';
import { AccountingDocument, type AccountingGroup, type AccountingQuery } from '../client/generated/operations.ts';
import { resolveMoments } from '../client/moments.ts';
import { showDuration, showInstant } from '../client/show.ts';
import { addOutputOptions, type OutputOptions, printList } from '../output.ts';
import { type Column, formatTable } from '../table.ts';
import type { Terminal } from '../terminal.ts';

type Row = AccountingQuery['accounting'][number];

interface AccountingOptions extends ServerOptions, OutputOptions {
  readonly by: AccountingGroup;
  readonly from: Moment;
  readonly to: Moment;
  readonly step?: string;
}

const month = 30 * 86_400_000;

const period: Column = { title: 'FROM (UTC)' };
const columns: readonly Column[] = [
  { title: 'FOR' },
  { title: 'LEASES', align: 'right', drop: 2 },
  { title: 'USED (amount × h)' },
  { title: 'REQUESTED', drop: 3 },
  { title: 'LOST', drop: 1 },
  { title: 'WAITING', align: 'right', drop: 4 },
  { title: 'PREEMPTIONS', align: 'right', drop: 5 },
];

export default function accounting(command: Command, terminal: Terminal): void {
  addOutputOptions(addServerOptions(command))
    .option('--by <group>', 'project, owner or lease', groups, 'PROJECT')
    .option('--from <instant>', 'begin (default: -30d)', momentOption, { offset: -month })
    .option('--to <instant>', 'end (default: now)', momentOption, { offset: 0 })
    .option(
      '--step <duration>',
      'length of the periods into which the time is divided (default: one period)',
      durationOption,
    )
    .action(async (options: AccountingOptions) => {
      const client = connect(options);
      const [from = '', to = ''] = await resolveMoments(client, [
        ['--from', options.from],
        ['--to', options.to],
      ]);
      const { by, step = null } = options;
      const rows = (await client.request(AccountingDocument, { from, to, by, step })).accounting;
      printList(terminal, options, rows, () =>
        rows.length === 0 ? 'No leases.\n' : table(rows, by, step !== null, terminal.tableWidth),
      );
    });
}

const groups = choice<AccountingGroup>(['PROJECT', 'OWNER', 'LEASE']);

function table(rows: readonly Row[], by: AccountingGroup, hasPeriods: boolean, width: number): string {
  return formatTable(
    hasPeriods ? [period, ...columns] : columns,
    rows.map((row) => [
      ...(hasPeriods ? [showInstant(row.start)] : []),
      row.lease === null
        ? (row.owner?.name ?? row.project?.name ?? `no ${by.toLowerCase()}`)
        : `lease ${row.lease.number}`,
      String(row.leases),
      hours(row.used),
      hours(row.requested),
      hours(row.lost),
      showDuration(row.waiting),
      String(row.preemptions),
    ]),
    width,
  );
}

function hours(amounts: Row['used']): string {
  return amounts.map(({ type, hours: value }) => `${type}:${value.toFixed(1)}`).join(' ');
}
