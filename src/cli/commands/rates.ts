import type { Command } from 'commander';
import { loadConfiguration } from '../../config/index.ts';
import type { ActionRecord } from '../../core/index.ts';
import { openStore } from '../../store/index.ts';
import { addNotes } from '../help.ts';
import { addOutputOptions, type OutputOptions, printList } from '../output.ts';
import { type MeasuredAction, measuredKinds, ratesOf } from '../rates.ts';
import { type Column, formatTable } from '../table.ts';
import { CliError, type Terminal } from '../terminal.ts';

const columns: readonly Column[] = [
  { title: 'NODE' },
  { title: 'OPERATION' },
  { title: 'COUNT', align: 'right' },
  { title: 'MIN MB/s', align: 'right' },
  { title: 'MEDIAN MB/s', align: 'right' },
];

/** So many of the newest actions are read. */
const maxActions = 10_000;

export default function rates(command: Command, terminal: Terminal): void {
  addNotes(
    command,
    terminal,
    'PREPARE is the transfer of images, MIGRATE that of memory and image. Set scheduler.suspendRate and scheduler.resumeRate to no more than the slowest node has shown (docs/adapters.md).',
    'The database is the one that DATABASE_URL names (a server may be using it), or the embedded one in LEASEGRAPH_DATA_DIR (no server may be using it).',
  );
  addOutputOptions(command).action(async (options: OutputOptions) => {
    const { clock, databaseUrl, dataDir } = loadConfiguration(process.env);
    const store = await openStore({ databaseUrl, dataDir, asItIs: true });
    try {
      const [nodes, actions] = await Promise.all([
        store.prisma.computeNode.findMany({ select: { number: true, hostname: true } }),
        store.prisma.action.findMany({
          where: { kind: { in: [...measuredKinds] }, state: 'SUCCEEDED', startedAt: { not: null } },
          orderBy: { number: 'desc' },
          take: maxActions,
        }),
      ]);
      const measured = actions.map(
        ({ kind, targets, startedAt, finishedAt }): MeasuredAction => ({
          kind,
          targets: targets as unknown as ActionRecord['targets'],
          duration: ((finishedAt?.getTime() ?? 0) - (startedAt?.getTime() ?? 0)) / clock.speed,
        }),
      );
      const names = new Map(nodes.map(({ number, hostname }) => [number, hostname]));
      const found = ratesOf(measured).map(({ node, ...rate }) => ({
        node: names.get(node) ?? String(node),
        ...rate,
      }));
      if (found.length === 0)
        throw new CliError('no host has suspended, resumed, moved or prepared anything yet');
      printList(terminal, options, found, () =>
        formatTable(
          columns,
          found.map(({ node, kind, count, min, median }) => [
            node,
            kind,
            String(count),
            min.toFixed(1),
            median.toFixed(1),
          ]),
          terminal.tableWidth,
        ),
      );
    } finally {
      await store.close();
    }
  });
}
