import type { Amounts, NodeSpec, SiteSpec } from '../../core/index.ts';
import { MAX_COUNT, parseAmount, parseCount } from './values.ts';
import { shorten } from './xml.ts';

/** Resource types that every site must have. */
export const REQUIRED_TYPES = ['CPU', 'Memory'] as const;
/** Resource types that every site has, declared or not. */
export const IMPLIED_TYPES = ['Disk', 'Net-in', 'Net-out'] as const;

export const SITE_FORM =
  '"COUNT TYPE:AMOUNT TYPE:AMOUNT ...", such as "4 CPU:100 Memory:1024" (CPU:100+100 where there are two)';

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

/** A site as one line. Throws an Error whose message says what was wrong and what was expected. */
export function parseSite(text: string): SiteSpec {
  const [count = '', ...amounts] = text.split(/[\s,]+/).filter((word) => word !== '');
  const nodes = parseCount(count);
  if (nodes === null) {
    throw new Error(
      `"${shorten(count)}" is no number of nodes from 1 to ${MAX_COUNT}, expected ${SITE_FORM}`,
    );
  }
  const capacity = new Map<string, Amounts[string]>();
  for (const word of amounts) {
    const [, type, quantity] = /^([^:]+):(.*)$/.exec(word) ?? [];
    const amount = quantity === undefined ? null : parseInstances(quantity);
    if (type === undefined || amount === null) {
      throw new Error(`"${shorten(word)}" is no TYPE:AMOUNT, expected ${SITE_FORM}`);
    }
    if (capacity.has(type)) throw new Error(`${shorten(type)} is given twice, expected ${SITE_FORM}`);
    capacity.set(type, amount);
  }
  const missing = REQUIRED_TYPES.find((type) => !capacity.has(type));
  if (missing !== undefined) throw new Error(`${missing} is not given, expected ${SITE_FORM}`);
  return buildSite([...capacity.keys()], [{ count: nodes, capacity: Object.fromEntries(capacity) }]);
}

/** An amount, or those of several instances, such as `100+100`; null when it is neither. */
function parseInstances(text: string): Amounts[string] | null {
  const instances = text.split('+').map(parseAmount);
  const [first = null] = instances;
  if (instances.length === 1) return first;
  return instances.every((instance) => instance !== null) ? instances : null;
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
