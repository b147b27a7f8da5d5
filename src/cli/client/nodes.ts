import { CliError } from '../terminal.ts';
import { plain } from '../text.ts';
import { allPages, type Client } from './client.ts';
import { NodesAtDocument, type NodesAtQuery, ReservationsDocument } from './generated/operations.ts';
import { hasLength } from './reservations.ts';
import { showInstant } from './show.ts';

export type NodeRow = NodesAtQuery['nodes']['nodes'][number];

/** When the state of a node was set, by whom and why. */
export function showStateChange({ at, by, cause, reason }: NonNullable<NodeRow['stateChange']>): string {
  const who = by === null ? (cause === 'OPERATOR' ? '' : ' by the server') : ` by ${plain(by)}`;
  return `${showInstant(at)}${who}${reason === null ? '' : `: ${plain(reason)}`}`;
}

/** All nodes, with their free capacity at an instant; null: now. */
export async function allNodes(client: Client, at: string | null): Promise<NodeRow[]> {
  const found: NodeRow[] = [];
  const pages = allPages(
    async (after, first) => (await client.request(NodesAtDocument, { at, first, after })).nodes,
  );
  for await (const node of pages) found.push(node);
  return found;
}

/** Node -> the numbers, ascending, of the leases that one may see with machines on it at an instant. */
export async function leasesOnNodes(client: Client, at: string): Promise<ReadonlyMap<number, number[]>> {
  const to = new Date(Date.parse(at) + 1).toISOString();
  const pages = allPages(
    async (after, first) =>
      (await client.request(ReservationsDocument, { from: at, to, first, after })).reservations,
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
