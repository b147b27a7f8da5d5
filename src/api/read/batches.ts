import DataLoader from 'dataloader';
import type { PrismaClient } from '../../store/prisma/client.ts';
import { paced } from './pace.ts';
import type { Source } from './view.ts';

/** Reads the values of many keys with one statement. A key without a value may be missing in the result. */
export type Batch<K, V, P = undefined> = (
  source: Source,
  keys: readonly K[],
  parameters: P,
) => Promise<ReadonlyMap<K, V>>;

/** Maximum number of keys per statement, far below the limit of the database. */
const maxBatchSize = 1_000;

/**
 * Uncached loaders shared by all responses, by database, view and batch function. Concurrent responses share
 * statements: many requests are answered by one commit, and many subscribers receive one event.
 */
const sharedLoaders = new WeakMap<PrismaClient, Map<string, Map<unknown, unknown>>>();

/**
 * Batches the reads of one response: one statement per batch function and set of parameters, each key once. Its
 * lifetime is one response or one event of a subscription.
 */
export class Batches {
  private readonly loaders = new Map<unknown, Map<string, unknown>>();
  private readonly shared: Map<unknown, unknown>;

  constructor(readonly source: Source) {
    const ofDatabase = getOrCreate(sharedLoaders, source.prisma, () => new Map());
    this.shared = getOrCreate(ofDatabase, source.view.key, () => new Map());
  }

  load<K, V>(batch: Batch<K, V>, key: K): Promise<V | undefined>;
  load<K, V, P>(batch: Batch<K, V, P>, key: K, parameters: P): Promise<V | undefined>;
  load<K, V, P>(batch: Batch<K, V, P>, key: K, parameters?: P): Promise<V | undefined> {
    const variants = getOrCreate(this.loaders, batch, () => new Map<string, unknown>());
    const loader = getOrCreate(variants, JSON.stringify(parameters) ?? '', () => {
      if (parameters !== undefined)
        return new DataLoader((keys: readonly K[]) => read(this.source, batch, keys, parameters));
      const shared = this.sharedLoader(batch as Batch<K, V>);
      return new DataLoader((keys: readonly K[]) => shared.loadMany(keys));
    }) as DataLoader<K, V | undefined>;
    return loader.load(key);
  }

  private sharedLoader<K, V>(batch: Batch<K, V>): DataLoader<K, V | undefined> {
    return getOrCreate(
      this.shared,
      batch,
      () =>
        new DataLoader((keys: readonly K[]) => read(this.source, batch, keys, undefined), {
          cache: false,
          maxBatchSize,
        }),
    ) as DataLoader<K, V | undefined>;
  }
}

/** In the order of the keys; each key is read once. */
async function read<K, V, P>(
  source: Source,
  batch: Batch<K, V, P>,
  keys: readonly K[],
  parameters: P,
): Promise<(V | undefined)[]> {
  const found = await paced(batch(source, [...new Set(keys)], parameters));
  return keys.map((key) => found.get(key));
}

function getOrCreate<K, V>(
  map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  create: () => V,
): V {
  const existing = map.get(key);
  if (existing !== undefined) return existing;
  const created = create();
  map.set(key, created);
  return created;
}

/** Groups rows by key, preserving order. */
export function grouped<K, R>(rows: readonly R[], keyOf: (row: R) => K): Map<K, R[]> {
  const groups = new Map<K, R[]>();
  for (const row of rows) getOrCreate(groups, keyOf(row), () => []).push(row);
  return groups;
}
