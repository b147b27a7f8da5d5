import type { Command } from 'commander';
import { type Moment, momentOption, wholeNumber } from '../client/arguments.ts';
import { addServerOptions, connect, newest, type ServerOptions } from '../client/client.ts';
import { AuditLogDocument, type AuditLogQuery } from '../client/generated/operations.ts';
import { resolveMoments } from '../client/moments.ts';
import { showInstant } from '../client/show.ts';
import { addOutputOptions, type OutputOptions, printList } from '../output.ts';
import { type Column, formatTable } from '../table.ts';
import type { Terminal } from '../terminal.ts';

type Entry = AuditLogQuery['auditLog']['nodes'][number];

interface AuditOptions extends ServerOptions, OutputOptions {
  readonly last: number;
  readonly principal?: string;
  readonly mutation?: string;
  readonly outcome?: string;
  readonly from?: Moment;
  readonly to?: Moment;
}

const columns: readonly Column[] = [
  { title: 'AT (UTC)' },
  { title: 'PRINCIPAL' },
  { title: 'ROLE', drop: 2 },
  { title: 'MUTATION' },
  { title: 'OUTCOME' },
  { title: 'SUBJECT', drop: 1 },
  { title: 'REQUEST', drop: 3 },
];

export default function audit(command: Command, terminal: Terminal): void {
  addOutputOptions(addServerOptions(command))
    .option('--last <n>', 'number of entries, the newest ones', wholeNumber, 50)
    .option('--principal <name>', 'only by this token or user')
    .option('--mutation <name>', 'only of this mutation, such as requestLease')
    .option('--outcome <code>', 'only with this outcome, such as OK or an error code')
    .option('--from <instant>', 'only from this instant on', momentOption)
    .option('--to <instant>', 'only before this instant', momentOption)
    .action(async (options: AuditOptions) => {
      const client = connect(options);
      const [start = '', end = ''] = await resolveMoments(client, [
        ['--from', options.from ?? { at: '1970-01-01T00:00:00Z' }],
        ['--to', options.to ?? { at: '9999-12-31T23:59:59Z' }],
      ]);
      const only = (value: string | undefined) => (value === undefined ? null : [value]);
      const filter = {
        principals: only(options.principal),
        mutations: only(options.mutation),
        outcomes: only(options.outcome),
        at: options.from === undefined && options.to === undefined ? null : { start, end },
      };
      const found = await newest<Entry>(options.last, async (last, before) => {
        return (await client.request(AuditLogDocument, { filter, last, before })).auditLog;
      });
      printList(terminal, options, found, () =>
        found.length === 0 ? 'No entries.\n' : table(found, terminal.tableWidth),
      );
    });
}

function table(entries: readonly Entry[], width: number): string {
  return formatTable(
    columns,
    entries.map((entry) => [
      showInstant(entry.at),
      entry.principal,
      entry.role,
      entry.mutation,
      entry.outcome,
      entry.subject ?? '',
      entry.requestId,
    ]),
    width,
  );
}
