import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { leaseState, leaseType, wholeNumber } from '../client/arguments.ts';
import { repeated } from '../client/choice.ts';
import { addServerOptions, type Client, connect, newest, type ServerOptions } from '../client/client.ts';
import {
  FilteredEventsDocument,
  type LeaseFilter,
  type LeaseRowFragment,
  type LeaseState,
  LeasesDocument,
  type LeaseType,
} from '../client/generated/operations.ts';
import { findNode } from '../client/nodes.ts';
import { findProject } from '../client/projects.ts';
import { leaseTable } from '../client/show.ts';
import { addOutputOptions, type OutputOptions, printList } from '../output.ts';
import type { Terminal } from '../terminal.ts';

interface LeasesOptions extends ServerOptions, OutputOptions {
  readonly state?: readonly LeaseState[];
  readonly type?: readonly LeaseType[];
  readonly live?: boolean;
  readonly name?: string;
  readonly owner?: readonly string[];
  readonly project?: string;
  readonly node?: string;
  readonly last: number;
  readonly watch?: boolean;
}

/** Milliseconds between two prints of --watch, at least. */
const watchInterval = 500;

export default function leases(command: Command, terminal: Terminal): void {
  addOutputOptions(addServerOptions(command))
    .option('--state <state>', 'only leases in this state; may be repeated', repeated(leaseState))
    .option('--type <type>', 'only leases of this type; may be repeated', repeated(leaseType))
    .option('--live', 'only leases that have not ended')
    .option('--name <text>', 'only leases whose name contains this')
    .option('--owner <name>', 'only leases that this principal requested; may be repeated', allOwners)
    .option('--project <project>', 'only leases of this project')
    .option('--node <node>', 'only leases with a reservation on this node')
    .option('--last <n>', 'number of leases, the newest ones', wholeNumber, 50)
    .option('--watch', 'print the list again whenever a lease changes, until it is stopped')
    .action(async (options: LeasesOptions) => {
      const client = connect(options);
      const filter = await filterOf(client, options);
      const show = async () => {
        const found = await newest<LeaseRowFragment>(options.last, async (last, before) => {
          return (await client.request(LeasesDocument, { filter, last, before })).leases;
        });
        if (options.watch && terminal.interactive) terminal.out('\u001B[H\u001B[J');
        printList(terminal, options, found, () =>
          found.length === 0 ? 'No leases.\n' : leaseTable(found, terminal.tableWidth),
        );
      };
      await show();
      if (options.watch) await watch(client, show);
    });
}

function allOwners(name: string, before: readonly string[] = []): string[] {
  return [...before, name];
}

async function filterOf(client: Client, options: LeasesOptions): Promise<LeaseFilter> {
  const { state, type, live, name, owner, project, node } = options;
  return {
    states: state ?? null,
    types: type ?? null,
    ...(live ? { live: true } : {}),
    ...(name === undefined ? {} : { name }),
    ...(owner === undefined ? {} : { owners: owner }),
    ...(project === undefined ? {} : { projects: [(await findProject(client, project)).id] }),
    ...(node === undefined ? {} : { nodes: [(await findNode(client, node)).id] }),
  };
}

/** Shows the list after each event; events that follow closely are shown together. */
async function watch(client: Client, show: () => Promise<void>): Promise<void> {
  let isScheduled = false;
  let failure: unknown = null;
  for await (const _ of client.subscribe(FilteredEventsDocument, { after: null, filter: null })) {
    if (failure !== null) throw failure;
    if (isScheduled) continue;
    isScheduled = true;
    void sleep(watchInterval)
      .then(() => {
        isScheduled = false;
        return show();
      })
      .catch((error: unknown) => {
        failure = error;
      });
  }
}
