import type { Command } from 'commander';
import { actionTable } from '../client/actions.ts';
import { wholeNumber } from '../client/arguments.ts';
import { addServerOptions, type Client, connect, type ServerOptions } from '../client/client.ts';
import { showEvent } from '../client/follow.ts';
import {
  ExplainDocument,
  type ExplainQuery,
  LeaseDetailDocument,
  type LeaseDetailQuery,
} from '../client/generated/operations.ts';
import { hasLength, reservationTable } from '../client/reservations.ts';
import { showDuration, showInstant, showMachines, showPlanned } from '../client/show.ts';
import { addOutputOptions, type OutputOptions, printOne } from '../output.ts';
import { CliError, type Terminal } from '../terminal.ts';
import { plain, wrap } from '../text.ts';

type Detail = NonNullable<LeaseDetailQuery['lease']>;
type Waiting = NonNullable<ExplainQuery['lease']>['waiting'];

export default function lease(command: Command, terminal: Terminal): void {
  addOutputOptions(addServerOptions(command))
    .argument('<lease>', 'number of a lease', wholeNumber)
    .action(async (number: number, options: ServerOptions & OutputOptions) => {
      const client = connect(options);
      const { lease } = await client.request(LeaseDetailDocument, { number });
      if (lease === null) throw new CliError(`there is no lease ${number} [LEASE_NOT_FOUND]`);
      const waiting = lease.endedAt === null ? await waitingOf(client, number) : null;
      const shown = {
        ...lease,
        waiting,
        events: lease.events.nodes,
        reservations: lease.reservations.nodes,
        actions: lease.actions.nodes,
      };
      printOne(terminal, options, shown, () => show(lease, waiting, terminal.tableWidth));
    });
}

/** Null also while no scheduler answers: what is stored of the lease is shown then as well. */
async function waitingOf(client: Client, number: number): Promise<Waiting> {
  try {
    const { lease } = await client.request(ExplainDocument, { number });
    return lease?.waiting ?? null;
  } catch (error) {
    if (error instanceof CliError) return null;
    throw error;
  }
}

function show(lease: Detail, waiting: Waiting, width: number): string {
  const { stateReason, events, reservations, actions, diskImage } = lease;
  const nodes = lease.machines.flatMap(({ node }) => node?.hostname ?? []);
  const facts: (readonly [name: string, value: string | null])[] = [
    ['state', lease.state],
    ['reason', stateReason && `${stateReason.message} [${stateReason.code}]`],
    ['waits', waiting && `${waiting.message} [${waiting.code}]`],
    ['name', lease.name],
    ['owner', lease.owner?.name ?? null],
    ['project', lease.project?.name ?? null],
    ['type', `${lease.type}${lease.preemptible ? ', preemptible' : ''}`],
    ['machines', showMachines(lease.machines)],
    ['nodes', nodes.length === 0 ? null : nodes.join(' ')],
    ['image', diskImage && `${diskImage.name}, ${diskImage.sizeMb} MB`],
    ['duration', showDuration(lease.requestedDuration)],
    ['ran', showDuration(lease.accumulatedDuration)],
    ['submitted', showInstant(lease.submittedAt)],
    ['requested', lease.requestedStart && showInstant(lease.requestedStart)],
    ['deadline', lease.deadline && showInstant(lease.deadline)],
    ['start', showPlanned(lease.actualStart, lease.estimatedStart)],
    ['end', showPlanned(lease.endedAt, lease.estimatedEnd)],
    ['restarts', lease.restarts === 0 ? null : `${lease.restarts}, ${showDuration(lease.lostDuration)} lost`],
    ['queue', lease.queuePosition === null ? null : `position ${lease.queuePosition}`],
  ];
  const head = facts.flatMap(([name, value]) => {
    if (value === null || value === '') return [];
    const [first = '', ...others] = wrap(plain(value), width - 11);
    return [`${name.padEnd(9)}  ${first}`, ...others.map((line) => `${' '.repeat(11)}${line}`)];
  });
  const plan = reservations.nodes.filter(hasLength);
  const history = events.nodes.flatMap((event) =>
    wrap(showEvent({ ...event, lease: { number: lease.number } }), width),
  );
  return [
    `lease ${lease.number} (times in UTC)`,
    ...head,
    ...(plan.length === 0 ? [] : ['', reservationTable(plan, width).trimEnd()]),
    ...(actions.nodes.length === 0 ? [] : ['', actionTable(actions.nodes, 'lease', width).trimEnd()]),
    ...(history.length === 0 ? [] : ['', ...history]),
    '',
  ].join('\n');
}
