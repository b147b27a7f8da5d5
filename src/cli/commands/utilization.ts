import type { Command } from 'commander';
import { DateTime, Duration } from 'luxon';
import { durationOption, type Moment, momentOption } from '../client/arguments.ts';
import { addServerOptions, connect, type ServerOptions } from '../client/client.ts';
import { UtilizationDocument, type UtilizationQuery } from '../client/generated/operations.ts';
import { resolveMoments } from '../client/moments.ts';
import { showInstant } from '../client/show.ts';
import { addNotes } from '../help.ts';
import { addOutputOptions, type OutputOptions, printList } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import { plain } from '../text.ts';

type Sample = UtilizationQuery['utilization'][number];

interface UtilizationOptions extends ServerOptions, OutputOptions {
  readonly from: Moment;
  readonly to: Moment;
  readonly step?: string;
  readonly resource: string;
}

const defaultSamples = 24;
const maxBar = 50;

export default function utilization(command: Command, terminal: Terminal): void {
  addNotes(
    command,
    terminal,
    'In the bars # is what machines run on, s what is being suspended, r resumed, d shut down, and . is free.',
  );
  addOutputOptions(addServerOptions(command))
    .option('--from <instant>', 'begin (default: -12h)', momentOption, { offset: -43_200_000 })
    .option('--to <instant>', 'end (default: +12h)', momentOption, { offset: 43_200_000 })
    .option('--step <duration>', `length of a sample (default: a ${defaultSamples}th)`, durationOption)
    .option('--resource <type>', 'resource', 'CPU')
    .action(async (options: UtilizationOptions) => {
      const client = connect(options);
      const [from = '', to = ''] = await resolveMoments(client, [
        ['--from', options.from],
        ['--to', options.to],
      ]);
      const step = options.step ?? defaultStep(from, to);
      const variables = { from, to, step, resource: options.resource };
      const { utilization: samples } = await client.request(UtilizationDocument, variables);
      printList(terminal, options, samples, () => bars(samples, options.resource, terminal.tableWidth));
    });
}

function defaultStep(from: string, to: string): string {
  const span = DateTime.fromISO(to).diff(DateTime.fromISO(from)).toMillis();
  return Duration.fromMillis(Math.max(1_000, Math.ceil(span / defaultSamples / 1_000) * 1_000)).toISO();
}

function bars(samples: readonly Sample[], resource: string, width: number): string {
  const length = Math.max(10, Math.min(maxBar, width - 29));
  const heading = `${'START (UTC)'.padEnd(19)}   HELD  ${plain(resource)}\n`;
  const lines = samples.map((sample) => {
    const { start, used, suspending, resuming, shuttingDown } = sample;
    const held = used + suspending + resuming + shuttingDown;
    // Cumulated, so that rounding never makes the bar longer.
    let share = 0;
    let bar = '';
    for (const [mark, part] of [
      ['#', used],
      ['s', suspending],
      ['r', resuming],
      ['d', shuttingDown],
    ] as const) {
      share += part;
      bar += mark.repeat(Math.max(0, Math.round(share * length) - bar.length));
    }
    return `${showInstant(start)}  ${(held * 100).toFixed(0).padStart(3)} %  ${bar.padEnd(length, '.')}\n`;
  });
  return [heading, ...lines].join('');
}
