import type { Command } from 'commander';
import { addServerOptions, allPages, connect, type ServerOptions } from '../client/client.ts';
import { QueueDocument } from '../client/generated/operations.ts';
import { printJson, queueTable } from '../client/show.ts';
import type { Terminal } from '../terminal.ts';

export default function queue(command: Command, terminal: Terminal): void {
  addServerOptions(command)
    .option('--json', 'print JSON')
    .action(async ({ json, ...server }: ServerOptions & { readonly json?: boolean }) => {
      const client = connect(server);
      const queued = [];
      const pages = allPages(
        async (after, first) => (await client.request(QueueDocument, { first, after })).queue,
      );
      for await (const lease of pages) queued.push(lease);
      if (json) printJson(terminal, queued);
      else terminal.out(queued.length === 0 ? 'The queue is empty.\n' : queueTable(queued));
    });
}
