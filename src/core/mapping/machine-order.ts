import type { Need, ResourceSpace } from '../model/capacity.ts';

/**
 * Machines in the order in which they are mapped: heaviest first, ties by ascending number. A machine's weight is the
 * sum, over the single-instance resource types in site order, of its amount's share in the largest one of the lease.
 * Doubles, left to right: ties matter.
 */
export const machineOrder = (space: ResourceSpace, needs: readonly Need[]): number[] => {
  const single = space.types.filter((type) => type.instances === 1).map((type) => type.offset);
  const maxima = single.map((dimension) => needs.reduce((max, need) => Math.max(max, need?.vector[dimension] ?? 0), 0));
  const weights = needs.map((need) =>
    single.reduce((sum, dimension, i) => {
      const max = maxima[i] as number;
      return max > 0 && need ? sum + (need.vector[dimension] as number) / max : sum;
    }, 0),
  );
  const machines = needs.map((_need, machine) => machine).slice(1);
  return machines.sort((a, b) => (weights[b] as number) - (weights[a] as number) || a - b);
};
