import { SchedulerError } from '../errors.ts';
import type { Amounts, SiteSpec } from './records.ts';

/**
 * Amounts as vectors of the slot table, one number per dimension. A resource type with one instance is one dimension; a
 * type with several instances (four cores) has one dimension per instance, so that a share that must not straddle
 * instances is an amount in one of them.
 */
export type Vector = readonly number[];

/** Default for every node of a site that does not declare the type. */
const UNDECLARED: Readonly<Record<string, number>> = {
  Disk: 1_000_000,
  'Net-in': 1_000_000,
  'Net-out': 1_000_000,
};

export interface ResourceType {
  readonly name: string;
  /** Its first dimension and the number of its dimensions. */
  readonly offset: number;
  readonly instances: number;
}

/** The need of one or several machines on one node. */
export interface Need {
  /** Amounts of single-instance types, by dimension; 0 in the dimensions of the others. */
  readonly vector: Vector;
  /** The dimensions in which `vector` is not 0. */
  readonly used: readonly number[];
  /** Shares of multi-instance types. Each must fit into one instance. */
  readonly shares: readonly { readonly type: ResourceType; readonly quantities: readonly number[] }[];
}

/** The resource types of a site, and the translation between amounts by name and vectors. */
export class ResourceSpace {
  readonly types: readonly ResourceType[];
  readonly dimensions: number;
  readonly zero: Vector;
  private readonly byName: ReadonlyMap<string, ResourceType>;
  private readonly declared: ReadonlySet<string>;
  private lastSum: { readonly a: Need; readonly b: Need; readonly sum: Need } | null = null;

  constructor(site: SiteSpec) {
    const types: ResourceType[] = [];
    this.declared = new Set(site.resourceTypes);
    let offset = 0;
    for (const name of [
      ...site.resourceTypes,
      ...Object.keys(UNDECLARED).filter((name) => !site.resourceTypes.includes(name)),
    ]) {
      const instances = site.nodes.reduce((max, node) => Math.max(max, instancesOf(node.capacity[name])), 1);
      types.push({ name, offset, instances });
      offset += instances;
    }
    this.types = types;
    this.dimensions = offset;
    this.zero = new Array<number>(offset).fill(0);
    this.byName = new Map(types.map((type) => [type.name, type]));
  }

  type(name: string): ResourceType | undefined {
    return this.byName.get(name);
  }

  /** The total capacity of a node. */
  capacity(amounts: Amounts): number[] {
    const vector = [...this.zero];
    const { declared } = this;
    for (const type of this.types) {
      const amount = amounts[type.name] ?? (declared.has(type.name) ? 0 : UNDECLARED[type.name]) ?? 0;
      const quantities = typeof amount === 'number' ? [amount] : amount;
      for (let instance = 0; instance < type.instances; instance += 1)
        vector[type.offset + instance] = quantities[instance] ?? 0;
    }
    return vector;
  }

  /** What a machine requests. Throws INVALID_REQUEST for a type that the site does not have. */
  need(amounts: Amounts): Need {
    const vector = [...this.zero];
    const shares: { type: ResourceType; quantities: readonly number[] }[] = [];
    for (const [name, amount] of Object.entries(amounts)) {
      const type = this.byName.get(name);
      if (!type) {
        const known = this.types.map((each) => each.name).join(', ');
        throw new SchedulerError('INVALID_REQUEST', `The site has no resource type "${name}"; it has ${known}.`, [
          name,
        ]);
      }
      const quantities = typeof amount === 'number' ? [amount] : amount;
      // A site with one instance of the type counts only the first, as a site description would.
      if (type.instances === 1) vector[type.offset] = quantities[0] ?? 0;
      else shares.push({ type, quantities: quantities.filter((quantity) => quantity > 0) });
    }
    return { vector, used: dimensionsUsed(vector), shares };
  }

  /** The sum of two needs on one node. The last result is cached, since equal machines are added repeatedly. */
  plus(a: Need, b: Need): Need {
    if (this.lastSum?.a === a && this.lastSum.b === b) return this.lastSum.sum;
    const vector = a.vector.map((amount, dimension) => amount + (b.vector[dimension] as number));
    const sum = { vector, used: dimensionsUsed(vector), shares: [...a.shares, ...b.shares] };
    this.lastSum = { a, b, sum };
    return sum;
  }

  /** The sum over each type's instances, by type. */
  totals(vector: Vector): number[] {
    if (this.types.length === this.dimensions) return [...vector];
    return this.types.map((type) => {
      let sum = 0;
      for (let d = type.offset; d < type.offset + type.instances; d += 1) sum += vector[d] as number;
      return sum;
    });
  }

  /** The total of a need, by type. */
  needTotals(need: Need): number[] {
    const totals = this.totals(need.vector);
    for (const { type, quantities } of need.shares) {
      const index = this.types.indexOf(type);
      totals[index] = quantities.reduce((sum, quantity) => sum + quantity, totals[index] as number);
    }
    return totals;
  }

  /** A vector with amounts in the given types only. */
  only(amounts: Readonly<Record<string, number>>): number[] {
    const vector = [...this.zero];
    for (const [name, amount] of Object.entries(amounts))
      vector[(this.byName.get(name) as ResourceType).offset] = amount;
    return vector;
  }

  /** The inverse of `amounts`: a type with several instances becomes an array of amounts per instance. */
  vector(amounts: Amounts): number[] {
    const vector = [...this.zero];
    for (const { name, offset } of this.types) {
      const amount = amounts[name] ?? 0;
      for (const [instance, quantity] of (typeof amount === 'number' ? [amount] : amount).entries())
        vector[offset + instance] = quantity;
    }
    return vector;
  }

  amounts(vector: Vector): Amounts {
    const amounts: Record<string, number | number[]> = {};
    for (const { name, offset, instances } of this.types) {
      if (instances === 1) {
        if (vector[offset] !== 0) amounts[name] = vector[offset] as number;
      } else {
        const quantities = vector.slice(offset, offset + instances);
        if (quantities.some((quantity) => quantity !== 0)) amounts[name] = quantities;
      }
    }
    return amounts;
  }
}

const instancesOf = (amount: number | readonly number[] | undefined): number =>
  typeof amount === 'object' ? amount.length : 1;

const dimensionsUsed = (vector: Vector): number[] =>
  vector.flatMap((amount, dimension) => (amount > 0 ? [dimension] : []));

/** Whether the need fits into the free capacity. */
export const fits = (need: Need, free: Vector): boolean => {
  for (const dimension of need.used) if ((need.vector[dimension] as number) > (free[dimension] as number)) return false;
  return need.shares.length === 0 || pack(need, free) !== null;
};

/** The need as a vector, with each share in the first instance that has enough left; null if a share fits nowhere. */
export const pack = (need: Need, free: Vector): number[] | null => {
  const placed = [...need.vector];
  for (const { type, quantities } of need.shares) {
    for (const quantity of quantities) {
      let dimension = type.offset;
      const end = type.offset + type.instances;
      while (dimension < end && (free[dimension] as number) - (placed[dimension] as number) < quantity) dimension += 1;
      if (dimension === end) return null;
      placed[dimension] = (placed[dimension] as number) + quantity;
    }
  }
  return placed;
};

/** The sum of a resource over all its instances. */
export function totalAmount(quantity: number | readonly number[] = 0): number {
  return typeof quantity === 'number' ? quantity : quantity.reduce((sum, amount) => sum + amount, 0);
}
