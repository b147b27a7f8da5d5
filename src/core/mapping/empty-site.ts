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
  return { code: 'LARGER_THAN_SITE', message: explain(space, lease, missing, nodes.slice(1), placed) };
};

const explain = (
  space: ResourceSpace,
  lease: Lease,
  missing: Need,
  nodes: readonly NodeProfile[],
  placed: number,
): string => {
  const each = space.types.flatMap((type) => {
    const { alone, wanted, unsplit } = partOf(space, missing, type);
    if (wanted === '') return [];
    const able = nodes.filter((node) => fits(alone, node.capacity)).length;
    const scarce = able < lease.machineCount;
    return [{ wanted, tooSmall: scarce && `${able} of ${nodes.length} nodes have ${wanted}${unsplit}` }];
  });
  const needed = each.map(({ wanted }) => wanted);
  const tooSmall = each.flatMap((part) => part.tooSmall || []);
  const where = tooSmall.length > 0 ? tooSmall.join(', ') : `the site has ${nodes.length} nodes`;
  return `even on the empty site only ${placed} of its ${lease.machineCount} machines can be placed (the next needs ${needed.join(', ')}; ${where})`;
};

/** The amount that a need requests of one type, and its text: `CPU 100`, or `CPU 100+100` for several instances. */
const partOf = (space: ResourceSpace, need: Need, type: ResourceType) => {
  if (type.instances === 1) {
    const amount = need.vector[type.offset] as number;
    const vector = space.zero.map((_, dimension) => (dimension === type.offset ? amount : 0));
    const alone: Need = { vector, used: amount > 0 ? [type.offset] : [], shares: [] };
    return { alone, wanted: amount > 0 ? `${type.name} ${amount}` : '', unsplit: '' };
  }
  const shares = need.shares.filter((share) => share.type === type);
  const quantities = shares.flatMap((share) => share.quantities);
  const wanted = quantities.length > 0 ? `${type.name} ${quantities.join('+')}` : '';
  return { alone: { vector: space.zero, used: [], shares }, wanted, unsplit: ' unsplit' };
};
