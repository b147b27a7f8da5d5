import { fits, type Need, type ResourceSpace, type ResourceType } from '../model/capacity.ts';
import type { Lease } from '../model/lease.ts';
import type { StateReason } from '../model/records.ts';
import type { NodeProfile } from '../slot-table/node-profile.ts';

/**
 * Why a lease does not fit even on the empty site (R6), or null if it does: machines in mapping order, nodes by
 * ascending number, next fit.
 */
export const whyNeverPossible = (
  space: ResourceSpace,
  lease: Lease,
  nodes: readonly NodeProfile[],
): StateReason | null => {
  const order = lease.mappingOrder;
  let placed = 0;
  for (const node of nodes.slice(1)) {
    let need = lease.needs[order[placed] as number] as Need;
    while (fits(need, node.capacity)) {
      placed += 1;
      if (placed === order.length) return null;
      need = space.plus(need, lease.needs[order[placed] as number] as Need);
    }
  }
  const missing = lease.needs[order[placed] as number] as Need;
  // A removed node is kept without capacity.
  const none = space.capacity({});
  const present = nodes
    .slice(1)
    .filter(({ capacity }) => capacity.some((amount, dimension) => amount !== none[dimension]));
  const message = present.some(({ capacity }) => fits(missing, capacity))
    ? `even the empty site has room for only ${placed} of the ${lease.machineCount} machines`
    : tooLarge(space, missing, present);
  return { code: 'LARGER_THAN_SITE', message };
};

/** What no node has for a machine: the types that are too small everywhere, or all that it needs. */
const tooLarge = (space: ResourceSpace, need: Need, nodes: readonly NodeProfile[]): string => {
  if (nodes.length === 0) return 'the site has no nodes';
  const needed = space.types
    .map((type) => partOf(space, need, type))
    .filter(({ wanted }) => wanted !== '')
    .map(({ alone, wanted }) => ({
      wanted,
      isMissing: !nodes.some(({ capacity }) => fits(alone, capacity)),
    }));
  const missing = needed.filter(({ isMissing }) => isMissing);
  const [it, listed] =
    missing.length === 1 ? ['it', missing] : missing.length > 1 ? ['them', missing] : ['them together', needed];
  const has = nodes.length === 1 ? `the only node does not have ${it}` : `none of the ${nodes.length} nodes has ${it}`;
  return `no node is large enough: a machine needs ${listed.map(({ wanted }) => wanted).join(', ')}, and ${has}`;
};

/**
 * The amount that a need requests of one type, and its text: `CPU 100`, or `CPU 100+50 unsplit` where nodes have
 * several.
 */
const partOf = (space: ResourceSpace, need: Need, type: ResourceType) => {
  if (type.instances === 1) {
    const amount = need.vector[type.offset] as number;
    const vector = space.zero.map((_, dimension) => (dimension === type.offset ? amount : 0));
    const alone: Need = { vector, used: amount > 0 ? [type.offset] : [], shares: [] };
    return { alone, wanted: amount > 0 ? `${type.name} ${amount}` : '' };
  }
  const shares = need.shares.filter((share) => share.type === type);
  const quantities = shares.flatMap((share) => share.quantities);
  const wanted = quantities.length > 0 ? `${type.name} ${quantities.join('+')} unsplit` : '';
  return { alone: { vector: space.zero, used: [], shares }, wanted };
};
