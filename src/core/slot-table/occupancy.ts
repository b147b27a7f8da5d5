import type { Journal } from '../journal.ts';
import type { ResourceSpace, Vector } from '../model/capacity.ts';
import type { Lease } from '../model/lease.ts';
import type { Amounts, Instant, SiteSpec } from '../model/records.ts';
import { FOREVER } from '../model/time.ts';
import { type Hold, type Interval, NodeProfile } from './node-profile.ts';
import { PresentFree } from './present-free.ts';
import type { ProjectLedgers } from './project-ledgers.ts';
import { SearchBounds } from './search-bounds.ts';
import { SiteProfile } from './site-profile.ts';

/** A reservation, or something else that holds capacity on nodes. */
export interface Holder {
  readonly lease: Lease | null;
}

interface Held {
  readonly byNode: readonly [NodeProfile, Hold][];
  /** By resource type, on all its nodes together; null where it does not count. */
  readonly totals: readonly number[] | null;
}

/** What reservations hold, and what they leave free: on each node, and on the site as a whole, over time. */
export class Occupancy {
  /** By node number; index 0 is not used. The image repository has no profile: nothing is ever placed there. */
  readonly nodes: NodeProfile[];
  /** Free on each node now. */
  readonly freeNow: PresentFree;
  /** Where nothing fits, as searches have found out. */
  readonly bounds = new SearchBounds();
  /** Free on nodes that may be used. */
  readonly site: SiteProfile;
  /** Capacity of the whole site, by resource type. */
  capacity: readonly number[];
  /** What lies before it is no longer asked for. */
  now: Instant = Number.NEGATIVE_INFINITY;
  private readonly held = new Map<Holder, Held>();
  private closedNodes = 0;

  constructor(
    private readonly space: ResourceSpace,
    site: SiteSpec,
    private readonly journal: Journal,
    private readonly projects: ProjectLedgers,
  ) {
    const capacities = site.nodes.map((node) => space.capacity(node.capacity));
    this.nodes = [
      new NodeProfile(0, space.zero),
      ...capacities.map((capacity, index) => new NodeProfile(index + 1, capacity)),
    ];
    this.freeNow = new PresentFree(this.nodes, space.dimensions);
    this.capacity = capacities.reduce(
      (sum, capacity) => space.totals(capacity).map((amount, type) => amount + (sum[type] as number)),
      space.types.map(() => 0),
    );
    this.site = new SiteProfile(space.types.length, this.capacity);
  }

  /** Whether some node may not be used at some time. */
  get hasClosedNodes(): boolean {
    return this.closedNodes > 0;
  }

  moveTo(now: Instant): void {
    this.now = now;
    this.freeNow.moveTo(now);
    this.site.forget(now);
    this.projects.moveTo(now);
  }

  /** It holds the amounts over [start, end). */
  hold(holder: Holder, amounts: ReadonlyMap<number, Vector>, start: Instant, end: Instant, counted: boolean): void {
    if (start >= end) return;
    const byNode: [NodeProfile, Hold][] = [];
    const sum = [...this.space.zero];
    for (const [number, vector] of amounts) {
      const node = this.nodes[number];
      if (!node) continue;
      byNode.push([node, { lease: holder.lease, start, end, amounts: vector, counted }]);
      if (counted) for (let d = 0; d < sum.length; d += 1) sum[d] = (sum[d] as number) + (vector[d] as number);
    }
    const held: Held = { byNode, totals: counted ? this.space.totals(sum) : null };
    this.put(holder, held);
    this.journal.record(() => this.take(holder, held));
  }

  /** It holds nothing any more. */
  release(holder: Holder): void {
    const held = this.held.get(holder);
    if (!held) return;
    this.take(holder, held);
    this.journal.record(() => this.put(holder, held));
  }

  /** When a node may not be used, ascending and apart from each other. */
  close(number: number, intervals: readonly Interval[]): void {
    const node = this.nodes[number] as NodeProfile;
    const before = node.unavailable;
    this.setClosed(node, intervals);
    this.journal.record(() => this.setClosed(node, before));
  }

  /** One more node, with the next number. It is not taken back. */
  addNode(amounts: Amounts): void {
    const vector = this.space.capacity(amounts);
    this.nodes.push(new NodeProfile(this.nodes.length, vector));
    this.freeNow.changed(this.nodes.length - 1);
    this.addCapacity(vector, 1);
  }

  /** Another capacity for a node on which nothing is held. It is not taken back. */
  replaceNode(number: number, amounts: Amounts): void {
    const before = this.nodes[number] as NodeProfile;
    const closed = before.unavailable;
    this.setClosed(before, []);
    this.addCapacity(before.capacity, -1);
    const node = new NodeProfile(number, this.space.capacity(amounts));
    this.nodes[number] = node;
    this.freeNow.changed(number);
    this.addCapacity(node.capacity, 1);
    this.setClosed(node, closed);
  }

  private addCapacity(vector: Vector, sign: 1 | -1): void {
    const totals = this.space.totals(vector);
    this.bounds.givenBack(Number.NEGATIVE_INFINITY);
    this.site.add(Number.NEGATIVE_INFINITY, FOREVER, totals, sign);
    this.capacity = this.capacity.map((amount, type) => amount + sign * (totals[type] as number));
  }

  private put(holder: Holder, held: Held): void {
    for (const [node, hold] of held.byNode) {
      node.forget(this.now);
      node.add(hold);
      this.freeNow.changed(node.number);
    }
    this.count(held, -1);
    this.held.set(holder, held);
  }

  private take(holder: Holder, held: Held): void {
    this.held.delete(holder);
    const start = held.byNode[0]?.[1].start;
    if (start !== undefined) this.bounds.givenBack(start);
    for (const [node, hold] of held.byNode) {
      node.remove(hold);
      this.freeNow.changed(node.number);
    }
    this.count(held, 1);
  }

  private count({ byNode, totals }: Held, sign: 1 | -1): void {
    const hold = byNode[0]?.[1];
    if (!totals || !hold) return;
    if (this.hasClosedNodes) this.countOpen(byNode, sign);
    else this.site.add(Math.max(hold.start, this.now), hold.end, totals, sign);
    if (hold.lease)
      this.projects.hold(hold.lease, Math.max(hold.start, this.now), hold.end, totals, sign === 1 ? -1 : 1);
  }

  /** Counts the holds of one reservation: those on nodes that are open throughout together, each other one alone. */
  private countOpen(byNode: Held['byNode'], sign: 1 | -1): void {
    const sum = [...this.space.zero];
    let first: Hold | null = null;
    for (const [node, hold] of byNode) {
      if (!node.isOpen(Math.max(hold.start, this.now), hold.end)) {
        this.countWhereOpen(node, hold, sign);
        continue;
      }
      first ??= hold;
      for (let d = 0; d < sum.length; d += 1) sum[d] = (sum[d] as number) + (hold.amounts[d] as number);
    }
    if (first) this.site.add(Math.max(first.start, this.now), first.end, this.space.totals(sum), sign);
  }

  /** While a node is closed nothing of it counts, neither its capacity nor what is still held there. */
  private countWhereOpen({ unavailable }: NodeProfile, hold: Hold, sign: 1 | -1): void {
    const totals = this.space.totals(hold.amounts);
    let from = Math.max(hold.start, this.now);
    for (const { start, end } of unavailable) {
      this.site.add(from, Math.min(start, hold.end), totals, sign);
      from = Math.max(from, end);
    }
    this.site.add(from, hold.end, totals, sign);
  }

  private setClosed(node: NodeProfile, intervals: readonly Interval[]): void {
    const holds = [...node.holds()].filter(({ counted }) => counted);
    const capacity = this.space.totals(node.capacity);
    this.bounds.givenBack(Number.NEGATIVE_INFINITY);
    for (const hold of holds) this.countWhereOpen(node, hold, 1);
    for (const { start, end } of node.unavailable) this.site.add(Math.max(start, this.now), end, capacity, 1);
    this.closedNodes += Number(intervals.length > 0) - Number(node.unavailable.length > 0);
    node.forget(this.now);
    node.close(intervals);
    this.freeNow.changed(node.number);
    for (const { start, end } of intervals) this.site.add(Math.max(start, this.now), end, capacity, -1);
    for (const hold of holds) this.countWhereOpen(node, hold, -1);
  }
}
