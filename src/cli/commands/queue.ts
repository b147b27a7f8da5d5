import type { Command } from 'commander';
import { addServerOptions, connect, readAll, type ServerOptions } from '../client/client.ts';
import { QueueDocument } from '../client/generated/operations.ts';
import { queueTable } from '../client/show.ts';
import { addOutputOptions, type OutputOptions, printList } from '../output.ts';
import type { Terminal } from '../terminal.ts';

export default function queue(command: Command, terminal: Terminal): void {
  addOutputOptions(addServerOptions(command)).action(async (options: ServerOptions & OutputOptions) => {
    const client = connect(options);
    const queued = await readAll(async (after, first) => (await client.request(QueueDocument, { first, after })).queue);
    printList(terminal, options, queued, () =>
      queued.length === 0 ? 'The queue is empty.\n' : queueTable(queued, terminal.tableWidth),
    );
  });
}
