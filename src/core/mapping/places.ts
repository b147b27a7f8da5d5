import type { Need, Vector } from '../model/capacity.ts';
import type { Lease, VmReservation } from '../model/lease.ts';
import type { Instant, Millis } from '../model/records.ts';
import { freeWithout, type NodeProfile, type Segment } from '../slot-table/node-profile.ts';
import type { Wanted } from '../slot-table/search-bounds.ts';
import type { SlotTable } from '../slot-table/slot-table.ts';

/** How many machines of one need fit into the free capacity, counted up to `max`. */
const placesIn = (need: Need, free: Vector, max: number): number => {
  let places = max;
  for (const dimension of need.used) {
    const left = free[dimension] as number;
    const amount = need.vector[dimension] as number;
    // Most nodes are full most of the time.
    if (left < amount) return 0;
    const fit = Math.floor(left / amount);
    if (fit < places) places = fit;
  }
  return Math.max(0, places);
};

/** How many machines fit on a node throughout [start, end), counted up to `max`; what `gone` holds counts as free. */
export const countPlaces = (
  node: NodeProfile,
  need: Need,
  start: Instant,
  end: Instant,
  max: number,
  gone: Lease | null = null,
): number => {
  const { segments } = node;
  const first = node.indexAt(start);
  let places = max;
  for (let i = first; i < segments.length && places > 0; i += 1) {
    const segment = segments[i] as Segment;
    if (i > first && segment.time >= end) break;
    places = placesIn(need, gone ? freeWithout(segment, gone) : segment.free, places);
  }
  return places;
};

/** The minimum need of the lease's machines in each dimension. */
export const smallestNeed = (lease: Lease): Need => {
  const first = lease.needs[1] as Need;
  if (lease.uniform) return first;
  const vector = first.vector.map((_amount, dimension) =>
    lease.needs.reduce((min, need) => Math.min(min, need?.vector[dimension] ?? min), Number.POSITIVE_INFINITY),
  );
  return { vector, used: vector.flatMap((amount, dimension) => (amount > 0 ? [dimension] : [])), shares: [] };
};

interface Nodes {
  /** By node number: its places at the current instant and until when they stay the same. */
  readonly places: Int32Array;
  readonly until: Float64Array;
  /** Node numbers, ascending by `until`. */
  readonly heap: Int32Array;
}

/**
 * Searches forward in time for enough free capacity for a lease: on the site as a whole, and enough places on nodes.
 * Which places fit together is not checked. Each node is examined again only when its places may have changed, so a
 * search costs little more than the segments it passes. The slot table must not change during a search.
 */
export class PlaceSearch {
  private readonly need: Need;
  private readonly wanted: number;
  /** Null until all nodes have been examined. */
  private nodes: Nodes | null = null;
  private total = 0;
  /** The last result: nothing before it is useful. */
  private found = Number.NEGATIVE_INFINITY;
  /** Whether they may fit at `found`: it need not be examined again. */
  private isSure = false;
  /** The nodes with places at `found`, ascending; null when they are not known. */
  private withPlaces: readonly NodeProfile[] | null = null;
  /** They fit from no start in [passedFrom, passedTo). */
  private passedFrom: Instant | null = null;
  private passedTo: Instant = Number.NEGATIVE_INFINITY;
  private readonly asked: Wanted;

  constructor(
    private readonly table: SlotTable,
    private readonly lease: Lease,
    /** The time for which the machines must fit. */
    private readonly reach: Millis,
    /** The current hold of the lease, which it would release and which counts as free. */
    private readonly own: VmReservation | null = null,
  ) {
    this.need = smallestNeed(lease);
    this.wanted = lease.machineCount;
    this.asked = { machines: this.wanted, reach, need: this.need.vector, totals: lease.totals };
  }

  /** The nodes with places throughout [at, at + reach), ascending; null when they are not known. */
  nodesAt(at: Instant): readonly NodeProfile[] | null {
    return this.isSure && at === this.found ? this.withPlaces : null;
  }

  /**
   * The first instant in [from, to] at which they may fit; an instant after `to`, or infinity, if there is none. Calls
   * must have ascending `from`.
   */
  notBefore(from: Instant, to: Instant): Instant {
    const { site } = this.table;
    const { totals } = this.lease;
    // From its own place on, the site as a whole always has enough capacity for it.
    const held = this.own?.holdStart ?? Number.POSITIVE_INFINITY;
    if (this.isSure && from <= this.found) return this.found;
    const first = Math.max(from, this.found);
    let at = this.isShared ? this.table.bounds.firstUnknown(this.asked, first) : first;
    this.isSure = false;
    while (at <= to && at < Number.POSITIVE_INFINITY) {
      const lasting = site.firstLasting(at, this.reach, held, totals);
      if (lasting > at) {
        at = lasting;
        continue;
      }
      const enough = this.enoughPlaces(at);
      if (enough === at) {
        this.isSure = true;
        break;
      }
      at = enough;
    }
    this.found = at;
    if (this.isShared) this.note(first, at);
    return at;
  }

  /** Whether what it finds out is of use to others: no place of its own counts as free, and it needs no shares. */
  private get isShared(): boolean {
    return this.own === null && this.need.shares.length === 0;
  }

  private note(from: Instant, until: Instant): void {
    if (this.passedFrom === null || from > this.passedTo) this.passedFrom = from;
    this.passedTo = until;
    this.table.bounds.note(this.asked, this.passedFrom, until);
  }

  /** `at` if there are enough places then; otherwise the next instant at which there may be more. */
  private enoughPlaces(at: Instant): Instant {
    if (!this.nodes) {
      // Most searches end at their first instant; a longer one examines each node once.
      if (this.found === Number.NEGATIVE_INFINITY && this.hasEnough(at)) return at;
      this.withPlaces = null;
      this.nodes = this.lookAtAll(at);
    }
    const { heap, until } = this.nodes;
    for (let node = heap[0] as number; (until[node] as number) <= at; node = heap[0] as number) {
      this.lookAt(node, at, this.nodes);
      siftDown(heap, until, 0);
    }
    if (this.total < this.wanted) return until[heap[0] as number] as number;
    const { places } = this.nodes;
    this.withPlaces = this.table.nodes.filter(({ number }) => (places[number] as number) > 0);
    return at;
  }

  private hasEnough(at: Instant): boolean {
    const { need, own, reach, table, wanted } = this;
    const found: NodeProfile[] = [];
    let places = 0;
    for (let number = 1; number <= table.nodeCount; number += 1) {
      const gone = this.goneFrom(number);
      if (!gone && !table.freeNow.hasRoom(number, need, at)) continue;
      const node = table.nodes[number] as NodeProfile;
      const here = countPlaces(node, need, at, at + reach, wanted, gone);
      if (here === 0) continue;
      places += here;
      found.push(node);
      // With its own place it only looks whether it could move; otherwise it is placed on what is found here.
      if (own && places >= wanted) return true;
    }
    this.withPlaces = own ? null : found;
    return places >= wanted;
  }

  /** The lease itself where it has its own place, which counts as free. */
  private goneFrom(node: number): Lease | null {
    return this.own?.amounts.has(node) ? this.lease : null;
  }

  private lookAtAll(at: Instant): Nodes {
    const count = this.table.nodeCount;
    const places = new Int32Array(count + 1);
    const until = new Float64Array(count + 1);
    this.total = 0;
    for (let number = 1; number <= count; number += 1) this.lookAt(number, at, { places, until });
    const heap = Int32Array.from({ length: count }, (_, index) => index + 1);
    for (let parent = (count >> 1) - 1; parent >= 0; parent -= 1) siftDown(heap, until, parent);
    return { places, until, heap };
  }

  /** Counts the places of a node over [at, at + reach) and finds until when the count stays the same. */
  private lookAt(number: number, at: Instant, nodes: Pick<Nodes, 'places' | 'until'>): void {
    const { need, wanted, reach } = this;
    const node = this.table.nodes[number] as NodeProfile;
    const gone = this.goneFrom(number);
    const { segments } = node;
    let places = wanted;
    let until = Number.POSITIVE_INFINITY;
    let i = node.indexAt(at);
    for (const first = i; i < segments.length && places > 0; i += 1) {
      const segment = segments[i] as Segment;
      if (i > first && segment.time >= at + reach) break;
      const here = placesIn(need, gone ? freeWithout(segment, gone) : segment.free, wanted);
      if (here >= places) continue;
      // There can be more only once the first segment with so few has passed,
      places = here;
      until = segments[i + 1]?.time ?? Number.POSITIVE_INFINITY;
    }
    // and there are fewer as soon as the interval takes in a segment with fewer.
    for (; places > 0 && i < segments.length; i += 1) {
      const segment = segments[i] as Segment;
      const within = segment.time - reach + 1;
      if (within >= until) break;
      const here = placesIn(need, gone ? freeWithout(segment, gone) : segment.free, wanted);
      if (here >= places) continue;
      until = within;
      break;
    }
    this.total += places - (nodes.places[number] as number);
    nodes.places[number] = places;
    nodes.until[number] = until;
  }
}

/** Moves the element at `parent` down until no child in the heap has a smaller key. */
const siftDown = (heap: Int32Array, keys: Float64Array, parent: number): void => {
  const item = heap[parent] as number;
  const key = keys[item] as number;
  let at = parent;
  while (true) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    const right = child + 1;
    if (right < heap.length && (keys[heap[right] as number] as number) < (keys[heap[child] as number] as number))
      child = right;
    if ((keys[heap[child] as number] as number) >= key) break;
    heap[at] = heap[child] as number;
    at = child;
  }
  heap[at] = item;
};
