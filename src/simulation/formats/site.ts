import type { Amounts, NodeSpec, SiteSpec } from '../../core/index.ts';

/** Resource types that every site must have. */
export const requiredTypes = ['CPU', 'Memory'] as const;
/** Resource types that every site has, declared or not. */
export const impliedTypes = ['Disk', 'Net-in', 'Net-out'] as const;

export interface NodeSet {
  readonly count: number;
  readonly capacity: Amounts;
}

/** Numbers and names the nodes of a site. */
export function buildSite(resourceTypes: readonly string[], sets: readonly NodeSet[]): SiteSpec {
  const nodes: NodeSpec[] = [];
  for (const { count, capacity } of sets) {
    for (let i = 0; i < count; i += 1) {
      const number = nodes.length + 1;
      nodes.push({ number, hostname: `node-${number}`, capacity });
    }
  }
  return { resourceTypes, nodes };
}

/** Neighbouring nodes of the same capacity as node sets: the form in which sites are written. */
export function nodeSets(site: SiteSpec): NodeSet[] {
  const sets: { count: number; capacity: Amounts }[] = [];
  for (const { capacity } of site.nodes) {
    const last = sets.at(-1);
    if (last !== undefined && JSON.stringify(last.capacity) === JSON.stringify(capacity)) last.count += 1;
    else sets.push({ count: 1, capacity });
  }
  return sets;
}
