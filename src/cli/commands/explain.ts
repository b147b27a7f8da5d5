import type { Command } from 'commander';
import { wholeNumber } from '../client/arguments.ts';
import { addServerOptions, connect, type ServerOptions } from '../client/client.ts';
import { ExplainDocument, type ExplainQuery } from '../client/generated/operations.ts';
import { showDuration, showInstant } from '../client/show.ts';
import { addOutputOptions, type OutputOptions, printOne } from '../output.ts';
import { CliError, type Terminal } from '../terminal.ts';
import { plain, wrap } from '../text.ts';

type Explained = NonNullable<ExplainQuery['lease']>;

export default function explain(command: Command, terminal: Terminal): void {
  addOutputOptions(addServerOptions(command))
    .argument('<lease>', 'number of a lease', wholeNumber)
    .action(async (number: number, options: ServerOptions & OutputOptions) => {
      const { lease } = await connect(options).request(ExplainDocument, { number });
      if (lease === null) throw new CliError(`there is no lease ${number} [LEASE_NOT_FOUND]`);
      printOne(terminal, options, lease, () => show(lease, terminal.tableWidth));
    });
}

function show({ number, state, waiting }: Explained, width: number): string {
  const head = `lease ${number} is ${state}`;
  if (waiting === null) return `${head}: it does not wait.\n`;
  const { blockedBy, code, estimatedStart, longestNow, message } = waiting;
  const facts: (readonly [name: string, value: string | null])[] = [
    ['waits', `${message} [${code}]`],
    ['blocked by', blockedBy.length === 0 ? null : blockedBy.map((lease) => lease.number).join(', ')],
    ['start', estimatedStart && `~${showInstant(estimatedStart)}`],
    ['fits now', longestNow && `with a duration of at most ${showDuration(longestNow)}`],
  ];
  const lines = facts.flatMap(([name, value]) => {
    if (value === null) return [];
    const [first = '', ...others] = wrap(plain(value), width - 12);
    return [`${name.padEnd(10)}  ${first}`, ...others.map((line) => `${' '.repeat(12)}${line}`)];
  });
  return [head, ...lines, ''].join('\n');
}
