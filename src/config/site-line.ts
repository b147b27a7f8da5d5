import { ConfigurationError, shorten } from './error.ts';

export const siteLineForm =
  '"COUNT TYPE:AMOUNT TYPE:AMOUNT ...", such as "4 CPU:100 Memory:1024" (CPU:100+100 for two instances)';

/** The `site` of a configuration file, before it is checked. */
export interface SiteInput {
  readonly nodes: readonly [
    { readonly count: number; readonly capacity: Readonly<Record<string, number | readonly number[]>> },
  ];
}

/** A site of equal nodes in one line, as `--site` and Haizea's `simulation.resources` give it. */
export function parseSiteLine(text: string): SiteInput {
  const fail = (found: string): never => {
    throw new ConfigurationError('INVALID_VALUE', `${found}, expected ${siteLineForm}`);
  };
  const [count = '', ...amounts] = text.split(/[\s,]+/).filter((word) => word !== '');
  if (!/^\d{1,9}$/.test(count)) fail(`"${shorten(count)}" is not a number of nodes`);
  const capacity = new Map<string, number | number[]>();
  for (const word of amounts) {
    const [, type, quantity] = /^([^:]+):(\d{1,15}(?:\+\d{1,15})*)$/.exec(word) ?? [];
    if (type === undefined || quantity === undefined) return fail(`"${shorten(word)}" is not TYPE:AMOUNT`);
    if (capacity.has(type)) fail(`${shorten(type)} is given twice`);
    const instances = quantity.split('+').map(Number);
    capacity.set(type, instances.length === 1 ? (instances[0] as number) : instances);
  }
  for (const type of ['CPU', 'Memory']) if (!capacity.has(type)) fail(`${type} is missing`);
  return { nodes: [{ count: Number(count), capacity: Object.fromEntries(capacity) }] };
}
