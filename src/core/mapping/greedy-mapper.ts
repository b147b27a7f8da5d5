import { fits, type Need, pack, type ResourceSpace, type Vector } from '../model/capacity.ts';
import type { Lease, Mapping, VmReservation } from '../model/lease.ts';
import type { Instant, Millis } from '../model/records.ts';
import type { HostSelectionPolicy } from '../policies/host-selection.ts';
import type { Quotas } from '../policies/quotas.ts';
import { HostView } from '../policies/views.ts';
import type { NodeProfile, Segment } from '../slot-table/node-profile.ts';
import type { SlotTable } from '../slot-table/slot-table.ts';
import { firstFit, type NodeNeed, needsByNode } from './old-places.ts';
import { countPlaces, PlaceSearch, smallestNeed } from './places.ts';

export interface MappingRequest {
  readonly lease: Lease;
  readonly start: Instant;
  readonly end: Instant;
  /** Whether the whole interval is needed; otherwise the mapping may reach less far. */
  readonly strict: boolean;
  /** Node numbers, ascending; null allows all. */
  readonly nodes: readonly number[] | null;
  /** Leases that may be preempted, in the order in which they are to be tried. */
  readonly candidates: readonly Lease[];
  /** A mapping that reaches less far than this is of no use (never more than `end`). */
  readonly worthwhileUntil: Instant;
}

export interface FoundMapping {
  /** Machine -> node; index 0 is not used. */
  readonly mapping: readonly number[];
  /** Node -> what the machines there hold together. */
  readonly amounts: ReadonlyMap<number, Vector>;
  /** How far it reaches. */
  readonly end: Instant;
  /** The candidates whose place it counts on. */
  readonly preempted: readonly Lease[];
}

/**
 * Maps the machines of a lease onto nodes: nodes in order of host selection, as many machines on each as fit (next
 * fit). Without success, one more candidate is taken as gone and the search starts again.
 */
export class GreedyMapper {
  private readonly view: HostView;
  /** A mapping belongs to one lease, and is asked for over and over while that waits. */
  private readonly oldNeeds = new WeakMap<Mapping, readonly NodeNeed[]>();

  constructor(
    private readonly space: ResourceSpace,
    private readonly table: SlotTable,
    private readonly hostSelection: HostSelectionPolicy,
    private readonly quotas: Pick<Quotas, 'reach'>,
  ) {
    this.view = new HostView(space);
  }

  map(asked: MappingRequest): FoundMapping | null {
    const request = this.withinQuotas(asked);
    if (!request) return null;
    if (request.candidates.length === 0) {
      if (this.isHopeless(request)) return null;
      return this.place(request, this.order(request, true), new Set());
    }
    const order = this.order(request, false);
    const gone = new Set<Lease>();
    for (const candidate of [null, ...request.candidates]) {
      if (candidate) gone.add(candidate);
      const found = this.place(request, order, gone);
      if (found) return found;
    }
    return null;
  }

  /** The request, cut short where the quotas of the lease's project end it; null when that is of no use. */
  private withinQuotas(request: MappingRequest): MappingRequest | null {
    const { end, lease, start, strict, worthwhileUntil } = request;
    const reach = this.quotas.reach(lease, start, end);
    if (reach === end) return request;
    return strict || reach < worthwhileUntil || reach <= start ? null : { ...request, end: reach };
  }

  /** As `map`; tells soon when it does not fit even without any of the candidates. */
  mapBeside(request: MappingRequest): FoundMapping | null {
    const alone = this.map({ ...request, candidates: [] });
    if (alone || request.candidates.length === 0) return alone;
    const withoutAll = this.place(request, this.order(request, false), new Set(request.candidates));
    return withoutAll && this.map(request);
  }

  /** As `refit`, without one candidate more each time until it fits. */
  refitBeside(request: MappingRequest, mapping: readonly number[]): FoundMapping | null {
    const gone = new Set<Lease>();
    for (const candidate of [null, ...request.candidates]) {
      if (candidate) gone.add(candidate);
      const found = this.refit(request, mapping, gone);
      if (found) return found;
    }
    return null;
  }

  /** Whether an old mapping still fits, as it is (R55): how far it reaches, or null. */
  refit(
    asked: MappingRequest,
    mapping: readonly number[],
    gone: ReadonlySet<Lease> = new Set(),
  ): FoundMapping | null {
    const request = this.withinQuotas(asked);
    if (!request) return null;
    const { lease, start, worthwhileUntil, strict } = request;
    const { site } = this.table;
    if (gone.size === 0 && site.firstBelow(start, worthwhileUntil, lease.totals) < worthwhileUntil)
      return null;
    const reaches: { reach: Reach; need: Need }[] = [];
    let { end } = request;
    for (const { node, need } of this.needsOf(lease, mapping)) {
      const reach = new Reach(node, start, gone);
      const until = reach.of(need, end);
      if (until === null || (until < end && strict)) return null;
      end = until;
      reaches.push({ reach, need });
    }
    const amounts = new Map(reaches.map(({ reach, need }) => [reach.node.number, reach.pack(need, end)]));
    return { mapping, amounts, end, preempted: [...gone] };
  }

  /**
   * When the machines may fit in their old places for as long as `reach`, as far as that can be told without trying.
   * What the lease holds in `own` counts as free.
   */
  searchOld(
    lease: Lease,
    mapping: Mapping,
    reach: Millis,
    own: VmReservation | null = null,
  ): Pick<PlaceSearch, 'notBefore'> {
    const needs = this.needsOf(lease, mapping);
    return { notBefore: (from, to) => firstFit(needs, from, to, reach, own && lease) };
  }

  private needsOf(lease: Lease, mapping: Mapping): readonly NodeNeed[] {
    let needs = this.oldNeeds.get(mapping);
    if (!needs) {
      needs = needsByNode(this.space, this.table.nodes, lease, mapping);
      this.oldNeeds.set(mapping, needs);
    }
    return needs;
  }

  /**
   * When the machines may fit for as long as `reach`, as far as that can be told without trying. What the lease holds
   * in `own` counts as free.
   */
  search(lease: Lease, reach: Millis, own: VmReservation | null = null): PlaceSearch {
    return new PlaceSearch(this.table, lease, reach, own);
  }

  /** A necessary condition, checked in passing: enough is free on the site as a whole, and on enough nodes. */
  private isHopeless({ lease, start, worthwhileUntil, nodes }: MappingRequest): boolean {
    if (this.table.site.firstBelow(start, worthwhileUntil, lease.totals) < worthwhileUntil) return true;
    const need = smallestNeed(lease);
    let wanted = lease.machineCount;
    const count = nodes?.length ?? this.table.nodeCount;
    for (let i = 0; i < count; i += 1) {
      const node = this.table.nodes[nodes ? (nodes[i] as number) : i + 1] as NodeProfile;
      wanted -= countPlaces(node, need, start, worthwhileUntil, wanted);
      if (wanted <= 0) return false;
    }
    return true;
  }

  /**
   * Nodes by descending score, ties by ascending number. Nodes on which nothing would fit are left out where that
   * changes nothing.
   */
  private order({ lease, start, nodes }: MappingRequest, onlyUseful: boolean): NodeProfile[] {
    const smallest = smallestNeed(lease);
    const useful: NodeProfile[] = [];
    const consider = (node: NodeProfile) => {
      if (!onlyUseful || fits(smallest, node.freeAt(start))) useful.push(node);
    };
    if (nodes) for (const number of nodes) consider(this.table.nodes[number] as NodeProfile);
    else
      for (let number = 1; number < this.table.nodes.length; number += 1)
        consider(this.table.nodes[number] as NodeProfile);
    if (this.hostSelection.indifferent) return useful;
    const scored = useful.map((node) => ({
      node,
      score: this.hostSelection.score(this.view.show(node, start), lease.view, start),
    }));
    return scored.sort((a, b) => b.score - a.score).map(({ node }) => node);
  }

  private place(
    request: MappingRequest,
    order: readonly NodeProfile[],
    gone: ReadonlySet<Lease>,
  ): FoundMapping | null {
    const { lease, start, strict } = request;
    const machines = lease.mappingOrder;
    const mapping = new Array<number>(machines.length + 1).fill(0);
    const used: { reach: Reach; need: Need }[] = [];
    let { end } = request;
    let next = 0;
    for (const node of order) {
      const reach = new Reach(node, start, gone);
      let need = lease.needs[machines[next] as number] as Need;
      let placed: Need | null = null;
      while (true) {
        const until = reach.of(need, end);
        if (until === null || (until < end && strict)) break;
        end = until;
        mapping[machines[next] as number] = node.number;
        placed = need;
        next += 1;
        if (next === machines.length) break;
        need = this.space.plus(need, lease.needs[machines[next] as number] as Need);
      }
      if (placed) used.push({ reach, need: placed });
      if (next === machines.length) {
        const amounts = new Map(used.map(({ reach, need }) => [reach.node.number, reach.pack(need, end)]));
        return { mapping, amounts, end, preempted: [...gone] };
      }
    }
    return null;
  }
}

/** What is free on a node from an instant on, the leases in `gone` being taken as gone. */
class Reach {
  private readonly first: number;

  constructor(
    readonly node: NodeProfile,
    start: Instant,
    private readonly gone: ReadonlySet<Lease>,
  ) {
    this.first = node.indexAt(start);
  }

  /** How far the need fits, at most to `end`; null when not even at the start. */
  of(need: Need, end: Instant): Instant | null {
    const { segments } = this.node;
    const minFree = need.shares.length > 0 ? [...this.free(segments[this.first] as Segment)] : null;
    for (let i = this.first; i < segments.length; i += 1) {
      const segment = segments[i] as Segment;
      if (i > this.first && segment.time >= end) break;
      const free = this.free(segment);
      // A share keeps to one instance throughout, so what counts for it is the least that was free there so far.
      if (minFree)
        for (let d = 0; d < minFree.length; d += 1)
          minFree[d] = Math.min(minFree[d] as number, free[d] as number);
      if (!fits(need, minFree ?? free)) return i === this.first ? null : segment.time;
    }
    return end;
  }

  /** The need as a vector, every share put into an instance that is free for it until `end`. */
  pack(need: Need, end: Instant): Vector {
    if (need.shares.length === 0) return need.vector;
    const { segments } = this.node;
    const minFree = [...this.free(segments[this.first] as Segment)];
    for (let i = this.first + 1; i < segments.length && (segments[i] as Segment).time < end; i += 1) {
      const free = this.free(segments[i] as Segment);
      for (let d = 0; d < minFree.length; d += 1)
        minFree[d] = Math.min(minFree[d] as number, free[d] as number);
    }
    return pack(need, minFree) as number[];
  }

  private free(segment: Segment): Vector {
    if (this.gone.size === 0) return segment.free;
    let free: number[] | null = null;
    for (const hold of segment.holds) {
      if (hold.lease === null || !this.gone.has(hold.lease)) continue;
      free ??= [...segment.free];
      for (let d = 0; d < free.length; d += 1) free[d] = (free[d] as number) + (hold.amounts[d] as number);
    }
    return free ?? segment.free;
  }
}
