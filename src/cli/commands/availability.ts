import type { Command } from 'commander';
import { durationForm } from '../../config/duration.ts';
import { durationOption, type Moment, machineSet, momentOption } from '../client/arguments.ts';
import { addServerOptions, connect, type ServerOptions } from '../client/client.ts';
import { AvailabilityDocument, type MachineSetInput } from '../client/generated/operations.ts';
import { resolveMoment } from '../client/moments.ts';
import { findProject } from '../client/projects.ts';
import { showInstant } from '../client/show.ts';
import { addOutputOptions, type OutputOptions, printOne } from '../output.ts';
import { formatTable } from '../table.ts';
import type { Terminal } from '../terminal.ts';

interface AvailabilityOptions extends ServerOptions, OutputOptions {
  readonly machines: MachineSetInput[];
  readonly duration: string;
  readonly project?: string;
  readonly from?: Moment;
  readonly to?: Moment;
}

export default function availability(command: Command, terminal: Terminal): void {
  addOutputOptions(addServerOptions(command))
    .requiredOption('--machines <set>', 'equal machines, such as "2 CPU:100 Memory:1024"; may be repeated', machineSet)
    .requiredOption('--duration <duration>', `how long they run: ${durationForm}`, durationOption)
    .option('--project <project>', 'the project whose quotas count (default: your only project)')
    .option('--from <instant>', 'the earliest start (default: now)', momentOption)
    .option('--to <instant>', 'list all possible starts until then', momentOption)
    .action(async (options: AvailabilityOptions) => {
      const client = connect(options);
      const instant = (flag: string, moment: Moment | undefined) =>
        moment === undefined ? null : resolveMoment(client, flag, moment);
      const { machines, duration } = options;
      const from = await instant('--from', options.from);
      const to = await instant('--to', options.to);
      const project = options.project === undefined ? null : (await findProject(client, options.project)).id;
      const question = { machines, duration, project, from, to };
      const found = (await client.request(AvailabilityDocument, question)).availability;
      printOne(terminal, options, found, () => {
        const { earliestStart, windows } = found;
        if (earliestStart === null) return 'These machines are not available.\n';
        const first = `earliest start (UTC)  ${showInstant(earliestStart)}\n`;
        if (to === null) return first;
        if (windows.length === 0) return `${first}\nNo start is possible in this interval.\n`;
        const table = formatTable(
          [{ title: 'START FROM (UTC)' }, { title: 'UNTIL (UTC)' }],
          windows.map(({ start, end }) => [showInstant(start), showInstant(end)]),
          terminal.tableWidth,
        );
        return `${first}\n${table}`;
      });
    });
}
