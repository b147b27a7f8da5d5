import DataLoader from 'dataloader';
import type { PrismaClient } from '../store/prisma/client.ts';
import { Members } from './members.ts';

/** Answers for many keys with one statement. Keys without an answer may be missing. */
export type Batch<K, V, P> = (
  prisma: PrismaClient,
  keys: readonly K[],
  parameters: P,
) => Promise<ReadonlyMap<K, V>>;

/** Keys that one statement takes at most: far below what the database allows. */
const largestBatch = 1_000;

/** What responses share, on one database. By batch function, whose types the loaders and values have. */
class Shared {
  /** Remember nothing, and so may serve everybody: what different responses ask for at the same moment is read together. */
  readonly loaders = new Map<unknown, unknown>();
  /** Rows that never change, by key. */
  readonly rows = new Map<unknown, Map<unknown, unknown>>();
}

const shared = new WeakMap<PrismaClient, Shared>();

/**
 * What is asked for by many objects of one response is read with one statement for each batch function and each set of parameters,
 * and only once. Lives as long as one response, or one event of a subscription. Without parameters, responses that are made at the same
 * moment share the statement: many requests are answered by one commit, and many subscribers are told of one event.
 */
export class Loaders {
  readonly members = new Members();
  private readonly loaders = new Map<unknown, Map<string, unknown>>();
  private readonly shared: Shared;

  constructor(private readonly prisma: PrismaClient) {
    this.shared = present(shared, prisma, () => new Shared());
  }

  load<K, V>(batch: Batch<K, V, undefined>, key: K): Promise<V | undefined>;
  load<K, V, P>(batch: Batch<K, V, P>, key: K, parameters: P): Promise<V | undefined>;
  load<K, V, P>(batch: Batch<K, V, P>, key: K, parameters?: P): Promise<V | undefined> {
    const variants = present(this.loaders, batch, () => new Map<string, unknown>());
    const loader = present(variants, JSON.stringify(parameters) ?? '', () => {
      if (parameters !== undefined)
        return new DataLoader((keys: readonly K[]) => read(this.prisma, batch, keys, parameters));
      const common = this.commonLoader(batch as Batch<K, V, undefined>);
      return new DataLoader((keys: readonly K[]) => common.loadMany(keys));
    }) as DataLoader<K, V | undefined>;
    return loader.load(key);
  }

  /** What never changes once it is there: read once for everybody, and from then on at hand. */
  loadForGood<K, V>(batch: Batch<K, V, undefined>, key: K): V | Promise<V | undefined> {
    const rows = present(this.shared.rows, batch, () => new Map()) as Map<K, V>;
    return (
      rows.get(key) ??
      this.load(batch, key).then((row) => {
        if (row !== undefined) rows.set(key, row);
        return row;
      })
    );
  }

  private commonLoader<K, V>(batch: Batch<K, V, undefined>): DataLoader<K, V | undefined> {
    return present(
      this.shared.loaders,
      batch,
      () =>
        new DataLoader((keys: readonly K[]) => read(this.prisma, batch, keys, undefined), {
          cache: false,
          maxBatchSize: largestBatch,
        }),
    ) as DataLoader<K, V | undefined>;
  }
}

/** In the order of the keys, each of which is asked for once. */
async function read<K, V, P>(
  prisma: PrismaClient,
  batch: Batch<K, V, P>,
  keys: readonly K[],
  parameters: P,
): Promise<(V | undefined)[]> {
  const found = await batch(prisma, [...new Set(keys)], parameters);
  return keys.map((key) => found.get(key));
}

/** What stands at the key of a map, made when nothing does. */
function present<K, V>(
  map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  make: () => V,
): V {
  const there = map.get(key);
  if (there !== undefined) return there;
  const made = make();
  map.set(key, made);
  return made;
}

/** Rows by the key that each belongs to, in their order. */
export function grouped<K, R>(rows: readonly R[], keyOf: (row: R) => K): Map<K, R[]> {
  const groups = new Map<K, R[]>();
  for (const row of rows) present(groups, keyOf(row), () => []).push(row);
  return groups;
}
