import type { Need } from '../model/capacity.ts';
import type { Instant } from '../model/records.ts';
import type { NodeProfile, Segment } from './node-profile.ts';

/**
 * What is free on each node now, in one array. Searches ask it first: on a large site most nodes are full, and their
 * profiles need not be read. The amounts of a node are read again when its profile has changed and when they end.
 */
export class PresentFree {
  /** By node, an amount per dimension. */
  private readonly free: number[] = [];
  /** By node, when its amounts end; before all time if they must be read again. */
  private readonly ends: Instant[] = [];
  private now: Instant = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly nodes: readonly NodeProfile[],
    private readonly dimensions: number,
  ) {
    for (let number = 0; number < nodes.length; number += 1) this.changed(number);
  }

  /** Time has come to `now`; it never goes back. */
  moveTo(now: Instant): void {
    this.now = now;
  }

  /** The profile of a node was changed or replaced, or the node is new. */
  changed(number: number): void {
    this.ends[number] = Number.NEGATIVE_INFINITY;
  }

  /**
   * Whether a need, apart from its shares of multi-instance types, fits on a node at an instant that is not in the
   * past.
   */
  hasRoom(number: number, need: Need, at: Instant): boolean {
    if (at >= (this.ends[number] as Instant)) {
      const node = this.nodes[number] as NodeProfile;
      if (at > this.now) return isEnough(node.freeAt(at), 0, need);
      this.read(node);
    }
    return isEnough(this.free, number * this.dimensions, need);
  }

  private read(node: NodeProfile): void {
    const at = node.indexAt(this.now);
    const { free } = node.segments[at] as Segment;
    const first = node.number * this.dimensions;
    for (let d = 0; d < this.dimensions; d += 1) this.free[first + d] = free[d] as number;
    this.ends[node.number] = node.segments[at + 1]?.time ?? Number.POSITIVE_INFINITY;
  }
}

const isEnough = (free: readonly number[], first: number, { used, vector }: Need): boolean => {
  for (const dimension of used) if ((vector[dimension] as number) > (free[first + dimension] as number)) return false;
  return true;
};
