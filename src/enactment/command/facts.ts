/** Input of a program: a JSON document on standard input, and the same facts as environment variables. */
import { DateTime } from 'luxon';
import type { ActionTarget } from '../../core/index.ts';
import type { ActionCall, HostNode, HostSite, LeaseFacts, MachinePlace } from '../../engine/ports.ts';

export interface Document {
  readonly operation: string;
  readonly site: string;
  readonly node: HostNode;
  readonly lease?: number;
  readonly machine?: number;
  readonly name?: string | null;
  readonly owner?: string | null;
  readonly project?: number | null;
  readonly start?: string | null;
  readonly end?: string | null;
  readonly action?: number;
  readonly deadline?: string | null;
  readonly toNode?: HostNode | null;
  readonly capacity?: ActionTarget['capacity'];
  readonly image?: ActionTarget['image'];
}

export interface Facts {
  readonly document: Document;
  readonly environment: Readonly<Record<string, string>>;
}

/** `call` is present for operations that change something. Throws for an unknown node. */
export function factsOf(
  operation: string,
  site: HostSite,
  place: Pick<MachinePlace, 'node'> & Partial<MachinePlace> & Partial<ActionTarget>,
  call: Pick<ActionCall, 'actionId' | 'deadline' | 'lease'> | null = null,
): Facts {
  const nodes = site.nodes();
  const find = (number: number): HostNode => {
    const node = nodes.find((each) => each.number === number);
    if (!node) throw new Error(`the site has no node ${number}`);
    return node;
  };
  const { leaseId, machine, capacity, image, toNode } = place;
  const document: Document = {
    operation,
    site: site.name,
    node: find(place.node),
    ...(leaseId !== undefined && { lease: leaseId }),
    ...(machine !== undefined && { machine }),
    ...(call?.lease && leaseFacts(call.lease)),
    ...(call && {
      action: call.actionId,
      deadline: instant(call.deadline),
      toNode: toNode == null ? null : find(toNode),
      capacity: capacity ?? {},
      image: image ?? null,
    }),
  };
  return { document, environment: environmentOf(document) };
}

function leaseFacts({ end, name, owner, project, start }: LeaseFacts) {
  return { name, owner, project, start: instant(start), end: instant(end) };
}

const instant = (at: number | null): string | null =>
  at === null ? null : DateTime.fromMillis(at, { zone: 'utc' }).toISO();

function environmentOf(document: Document): Record<string, string> {
  const { action, capacity, deadline, end, image, lease, machine, name, node } = document;
  const { operation, owner, project, site, start, toNode } = document;
  const variables: Record<string, unknown> = {
    OPERATION: operation,
    SITE: site,
    ACTION: action,
    DEADLINE: deadline,
    LEASE: lease,
    MACHINE: machine,
    NAME: name,
    OWNER: owner,
    PROJECT: project,
    START: start,
    END: end,
    NODE: node.number,
    HOSTNAME: node.hostname,
    ADDRESS: node.address,
    TO_NODE: toNode?.number,
    TO_HOSTNAME: toNode?.hostname,
    TO_ADDRESS: toNode?.address,
    IMAGE: image?.name,
    IMAGE_SIZE_MB: image?.sizeMb,
  };
  for (const [type, amount] of Object.entries(capacity ?? {})) {
    // A resource type whose name is not valid for a variable appears only in the document.
    if (/^[A-Za-z]\w*$/.test(type) && typeof amount === 'number') variables[`CAPACITY_${type.toUpperCase()}`] = amount;
  }
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) =>
      // Environment variables cannot hold NUL characters.
      value == null || String(value).includes('\0') ? [] : [[`LEASEGRAPH_${name}`, String(value)]],
    ),
  );
}
