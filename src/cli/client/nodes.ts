import { CliError } from '../terminal.ts';
import { plain } from '../text.ts';
import { allPages, type Client, readAll } from './client.ts';
import {
  type HostFragment,
  NodeHostsDocument,
  NodesAtDocument,
  type NodesAtQuery,
  ReservationsDocument,
} from './generated/operations.ts';
import { hasLength } from './reservations.ts';
import { showAmounts, showInstant } from './show.ts';

export type NodeRow = NodesAtQuery['nodes']['nodes'][number];

/** When the state of a node was set, by whom and why. */
export function showStateChange({ at, by, cause, reason }: NonNullable<NodeRow['stateChange']>): string {
  const who = by === null ? (cause === 'OPERATOR' ? '' : ' by the server') : ` by ${plain(by)}`;
  return `${showInstant(at)}${who}${reason === null ? '' : `: ${plain(reason)}`}`;
}

/** All nodes, with their free capacity at an instant; null: now. */
export async function allNodes(client: Client, at: string | null): Promise<NodeRow[]> {
  return readAll(async (after, first) => (await client.request(NodesAtDocument, { at, first, after })).nodes);
}

/** Node -> what operators are told of its host; empty for others. */
export async function hostsOfNodes(client: Client): Promise<ReadonlyMap<number, HostFragment>> {
  const found = new Map<number, HostFragment>();
  const pages = allPages(async (after, first) => (await client.request(NodeHostsDocument, { first, after })).nodes);
  for await (const { number, host } of pages) if (host !== null) found.set(number, host);
  return found;
}

/** What is to be said of a host, without its last answer: nothing if it is well. */
export function hostTroubles(host: HostFragment): string[] {
  const { error, failures, strayMachines, unreachableSince, unremovedMachines } = host;
  const silent =
    unreachableSince === null
      ? []
      : [
          `has not answered since ${showInstant(unreachableSince)} (${failures} ${failures === 1 ? 'failure' : 'failures'})${error === null ? '' : `: ${plain(error)}`}`,
        ];
  const unremoved = unremovedMachines.map(({ capacity, leaseNumber, machine }) => {
    const holds = capacity.length === 0 ? '' : `, and holds ${showAmounts(capacity)}`;
    return `machine ${machine} of lease ${leaseNumber} could not be removed${holds}`;
  });
  const strays = strayMachines.map(({ isRemoved, leaseNumber, machine, since, status }) => {
    const removed = isRemoved ? ', being removed' : '';
    return `stray machine ${machine} of lease ${leaseNumber}: ${status.toLowerCase()}, since ${showInstant(since)}${removed}`;
  });
  return [...silent, ...unremoved, ...strays];
}

/** For operators. */
export function hostLines(host: HostFragment | null): string[] {
  if (host === null) return [];
  const { lastAnswerAt } = host;
  const answered = lastAnswerAt === null ? 'has not answered yet' : `answered ${showInstant(lastAnswerAt)}`;
  return [answered, ...hostTroubles(host)];
}

/** Node -> the numbers, ascending, of the leases that one may see with machines on it at an instant. */
export async function leasesOnNodes(client: Client, at: string): Promise<ReadonlyMap<number, number[]>> {
  const to = new Date(Date.parse(at) + 1).toISOString();
  const pages = allPages(
    async (after, first) => (await client.request(ReservationsDocument, { from: at, to, first, after })).reservations,
  );
  const found = new Map<number, Set<number>>();
  for await (const reservation of pages) {
    const { kind, lease, nodes } = reservation;
    // An image is copied before there are machines.
    if (kind === 'IMAGE_TRANSFER' || !hasLength(reservation)) continue;
    for (const { number } of nodes) found.set(number, (found.get(number) ?? new Set()).add(lease.number));
  }
  return new Map([...found].map(([node, leases]) => [node, [...leases].sort((a, b) => a - b)]));
}

/** A node by its number or its host name. Throws CliError. */
export async function findNode(client: Client, wanted: string, at: string | null = null): Promise<NodeRow> {
  const nodes = await allNodes(client, at);
  const node = nodes.find(({ number, hostname }) => hostname === wanted || String(number) === wanted);
  if (node === undefined) throw new CliError(`there is no node "${wanted}" [NODE_NOT_FOUND]`);
  return node;
}
