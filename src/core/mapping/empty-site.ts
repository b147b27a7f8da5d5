import { fits, type Need, type ResourceSpace } from '../model/capacity.ts';
import type { Lease } from '../model/lease.ts';
import type { StateReason } from '../model/records.ts';
import type { NodeProfile } from '../slot-table/node-profile.ts';

/**
 * Why a lease could not be placed even on the empty site (R6), or null when it could: machines in mapping order, nodes by ascending
 * number, next fit.
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
  const tooSmall = space.types.flatMap((type, index) => {
    const wanted = space.needTotals(missing)[index] as number;
    const able = nodes.filter((node) => (space.totals(node.capacity)[index] as number) >= wanted).length;
    return wanted > 0 && able < lease.machineCount
      ? [`${able} of ${nodes.length} nodes have ${type.name} ${wanted}`]
      : [];
  });
  const needed = Object.entries(space.amounts(missing.vector)).map(([type, amount]) => `${type} ${amount}`);
  const where = tooSmall.length > 0 ? tooSmall.join(', ') : `the site has ${nodes.length} nodes`;
  return `even on the empty site only ${placed} of its ${lease.machineCount} machines can be placed (the next needs ${needed.join(', ') || 'several instances'}; ${where})`;
};
