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

/** Remembers nothing, and so may serve everybody: what different responses ask for at the same moment is read together. */
const common = new WeakMap<PrismaClient, Map<unknown, unknown>>();

function commonLoader<K, V>(prisma: PrismaClient, batch: Batch<K, V, undefined>) {
  const loaders = common.get(prisma) ?? new Map<unknown, unknown>();
  common.set(prisma, loaders);
  let loader = loaders.get(batch) as DataLoader<K, V | undefined> | undefined;
  if (loader === undefined) {
    loader = new DataLoader(
      async (keys) => {
        const found = await batch(prisma, [...new Set(keys)], undefined);
        return keys.map((key) => found.get(key));
      },
      { cache: false, maxBatchSize: largestBatch },
    );
    loaders.set(batch, loader);
  }
  return loader;
}

/** By batch function and key. */
const kept = new WeakMap<PrismaClient, Map<unknown, Map<unknown, unknown>>>();

/**
 * What is asked for by many objects of one response is read with one statement for each batch function and each set of parameters,
 * and only once. Lives as long as one response, or one event of a subscription. Without parameters, responses that are made at the same
 * moment share the statement: many requests are answered by one commit, and many subscribers are told of one event.
 */
export class Loaders {
  readonly members = new Members();
  private readonly loaders = new Map<unknown, Map<string, unknown>>();

  constructor(private readonly prisma: PrismaClient) {}

  load<K, V>(batch: Batch<K, V, undefined>, key: K): Promise<V | undefined>;
  load<K, V, P>(batch: Batch<K, V, P>, key: K, parameters: P): Promise<V | undefined>;
  load<K, V, P>(batch: Batch<K, V, P>, key: K, parameters?: P): Promise<V | undefined> {
    const variants = this.loaders.get(batch) ?? new Map<string, unknown>();
    this.loaders.set(batch, variants);
    const variant = JSON.stringify(parameters) ?? '';
    let loader = variants.get(variant) as DataLoader<K, V | undefined> | undefined;
    if (loader === undefined) {
      loader = new DataLoader<K, V | undefined>(async (keys) => {
        if (parameters === undefined)
          return commonLoader(this.prisma, batch as Batch<K, V, undefined>).loadMany(keys);
        const found = await batch(this.prisma, keys, parameters);
        return keys.map((key) => found.get(key));
      });
      variants.set(variant, loader);
    }
    return loader.load(key);
  }

  /** What never changes once it is there: read once for everybody, and from then on at hand. */
  loadForGood<K, V>(batch: Batch<K, V, undefined>, key: K): V | Promise<V | undefined> {
    const all = kept.get(this.prisma) ?? new Map<unknown, Map<unknown, unknown>>();
    kept.set(this.prisma, all);
    const values = (all.get(batch) ?? new Map()) as Map<K, V>;
    all.set(batch, values);
    return (
      values.get(key) ??
      this.load(batch, key).then((value) => {
        if (value !== undefined) values.set(key, value);
        return value;
      })
    );
  }
}

/** Rows by the key that each belongs to, in their order. */
export function grouped<K, R>(rows: readonly R[], keyOf: (row: R) => K): Map<K, R[]> {
  const groups = new Map<K, R[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}
