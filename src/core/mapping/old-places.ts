import { fits, type Need, type ResourceSpace } from '../model/capacity.ts';
import type { Lease, Mapping } from '../model/lease.ts';
import type { Instant, Millis } from '../model/records.ts';
import { freeWithout, type NodeProfile, type Segment } from '../slot-table/node-profile.ts';

/** Total need of a lease's machines on one node. */
export interface NodeNeed {
  readonly node: NodeProfile;
  readonly need: Need;
}

/** Needs of a mapping by node, ascending. */
export function needsByNode(
  space: ResourceSpace,
  nodes: readonly NodeProfile[],
  lease: Lease,
  mapping: Mapping,
): readonly NodeNeed[] {
  const byNode = new Map<number, Need>();
  for (let machine = 1; machine < mapping.length; machine += 1) {
    const node = mapping[machine] as number;
    const need = lease.needs[machine] as Need;
    const before = byNode.get(node);
    byNode.set(node, before ? space.plus(before, need) : need);
  }
  return [...byNode].sort(([a], [b]) => a - b).map(([node, need]) => ({ node: nodes[node] as NodeProfile, need }));
}

/**
 * The first instant in [from, to] at which every need may fit on its node for `reach`, ignoring one lease; an instant
 * after `to` if there is none.
 */
export function firstFit(
  needs: readonly NodeNeed[],
  from: Instant,
  to: Instant,
  reach: Millis,
  gone: Lease | null,
): Instant {
  let at = from;
  for (let agreed = 0, i = 0; agreed < needs.length; i = (i + 1) % needs.length) {
    const { node, need } = needs[i] as NodeNeed;
    const next = firstFitOn(node, need, at, reach, gone);
    agreed = next === at ? agreed + 1 : 1;
    at = next;
    if (at > to) break;
  }
  return at;
}

function firstFitOn(node: NodeProfile, need: Need, from: Instant, reach: Millis, gone: Lease | null): Instant {
  const { segments } = node;
  let start = from;
  for (let i = node.indexAt(from); i < segments.length; i += 1) {
    const segment = segments[i] as Segment;
    if (segment.time - start >= reach) break;
    if (!fits(need, gone ? freeWithout(segment, gone) : segment.free))
      start = segments[i + 1]?.time ?? Number.POSITIVE_INFINITY;
  }
  return start;
}
