import type { Command } from 'commander';
import { Duration } from 'luxon';
import { addServerOptions, connect, type ServerOptions } from '../client/client.ts';
import { SchedulerDocument } from '../client/generated/operations.ts';
import { allNodes, showStateChange } from '../client/nodes.ts';
import { showInstant } from '../client/show.ts';
import { addOutputOptions, type OutputOptions, printOne } from '../output.ts';
import { CliError, type Terminal } from '../terminal.ts';
import { plain } from '../text.ts';

export default function status(command: Command, terminal: Terminal): void {
  addOutputOptions(addServerOptions(command)).action(async (options: ServerOptions & OutputOptions) => {
    const client = connect(options);
    const { scheduler, serverTime, site } = await client.request(SchedulerDocument, {});
    if (scheduler === null) throw new CliError('the server does not tell its status');
    const nodes = await allNodes(client, null);
    const unusable = nodes.filter(({ state }) => state !== 'UP');
    const shown = unusable.map(({ number, hostname, state, stateChange }) => ({
      ...{ number, hostname, state, stateChange },
    }));
    printOne(
      terminal,
      options,
      { ...scheduler, serverTime, site: site.name, nodes: nodes.length, notUp: shown },
      () => {
        const { role, clockSpeed, lastPassAt, lastPassDuration, liveLeases, queueLength, problems } = scheduler;
        const facts: (readonly [string, string | null])[] = [
          ['site', plain(site.name)],
          ['role', role],
          ['time', `${showInstant(serverTime)} UTC${clockSpeed === 1 ? '' : ` (${clockSpeed} times as fast)`}`],
          ['leases', `${liveLeases} live, ${queueLength} in the queue`],
          [
            'last pass',
            lastPassAt &&
              `${showInstant(lastPassAt)}, took ${Duration.fromISO(lastPassDuration ?? 'PT0S').as('seconds')} s`,
          ],
          ['nodes', `${nodes.length - unusable.length} of ${nodes.length} UP`],
          ...unusable.map(
            ({ hostname, state, stateChange }) =>
              [
                state.toLowerCase(),
                `${plain(hostname)}${stateChange ? `, since ${showStateChange(stateChange)}` : ''}`,
              ] as const,
          ),
          ...problems.map((problem) => ['problem', plain(problem)] as const),
        ];
        return facts.map(([name, value]) => (value === null ? '' : `${name.padEnd(9)}  ${value}\n`)).join('');
      },
    );
    if (scheduler.problems.length > 0) throw new CliError('the server has problems');
  });
}
