const CHUNK = 256;

/**
 * Items in ascending (key, rank) order, in chunks of bounded size: O(log n) to find, O(chunk) to insert or remove,
 * whatever n is. An item's key and rank must not change while it is in the index.
 */
export class OrderedIndex<T> {
  private readonly chunks: T[][] = [];
  size = 0;

  constructor(
    private readonly key: (item: T) => number,
    private readonly rank: (item: T) => number,
  ) {}

  insert(item: T): void {
    this.size += 1;
    if (this.chunks.length === 0) {
      this.chunks.push([item]);
      return;
    }
    const at = Math.max(0, this.chunkAfter(this.key(item), this.rank(item)) - 1);
    const chunk = this.chunks[at] as T[];
    chunk.splice(this.positionIn(chunk, this.key(item), this.rank(item)), 0, item);
    if (chunk.length > CHUNK) this.chunks.splice(at + 1, 0, chunk.splice(CHUNK >> 1));
  }

  /** False when it is not there. */
  remove(item: T): boolean {
    const at = this.chunkAfter(this.key(item), this.rank(item)) - 1;
    const chunk = this.chunks[at];
    if (!chunk) return false;
    const position = this.positionIn(chunk, this.key(item), this.rank(item)) - 1;
    if (chunk[position] !== item) return false;
    chunk.splice(position, 1);
    if (chunk.length === 0) this.chunks.splice(at, 1);
    this.size -= 1;
    return true;
  }

  /** The first item with a key greater than (or, if asked, equal to) the given one. */
  firstFrom(key: number, inclusive: boolean): T | undefined {
    const bound = inclusive ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    const at = Math.max(0, this.chunkAfter(key, bound) - 1);
    const chunk = this.chunks[at] ?? [];
    return chunk[this.positionIn(chunk, key, bound)] ?? this.chunks[at + 1]?.[0];
  }

  /** The items from a key on, in order. The index must not change meanwhile. */
  *from(key: number, inclusive: boolean): Generator<T, void, void> {
    const bound = inclusive ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    const first = Math.max(0, this.chunkAfter(key, bound) - 1);
    for (let at = first; at < this.chunks.length; at += 1) {
      const chunk = this.chunks[at] as T[];
      for (
        let position = at === first ? this.positionIn(chunk, key, bound) : 0;
        position < chunk.length;
        position += 1
      ) {
        yield chunk[position] as T;
      }
    }
  }

  /** The items after a place, in order. The index must not change meanwhile. */
  *after(key: number, rank: number): Generator<T, void, void> {
    const first = Math.max(0, this.chunkAfter(key, rank) - 1);
    for (let at = first; at < this.chunks.length; at += 1) {
      const chunk = this.chunks[at] as T[];
      for (let i = at === first ? this.positionIn(chunk, key, rank) : 0; i < chunk.length; i += 1) yield chunk[i] as T;
    }
  }

  /** All items, in order: they may change meanwhile. */
  toArray(): T[] {
    // (`flat` takes many times as long.)
    return ([] as T[]).concat(...this.chunks);
  }

  *[Symbol.iterator](): Generator<T, void, void> {
    for (const chunk of this.chunks) yield* chunk;
  }

  /** The first chunk whose first item comes after (key, rank). */
  private chunkAfter(key: number, rank: number): number {
    let low = 0;
    let high = this.chunks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.isAfter((this.chunks[middle] as T[])[0] as T, key, rank)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  private positionIn(chunk: readonly T[], key: number, rank: number): number {
    let low = 0;
    let high = chunk.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.isAfter(chunk[middle] as T, key, rank)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  private isAfter(item: T, key: number, rank: number): boolean {
    const itemKey = this.key(item);
    return itemKey > key || (itemKey === key && this.rank(item) > rank);
  }
}
