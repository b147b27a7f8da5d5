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
  /** Whether the whole interval is required; otherwise the mapping may end earlier. */
  readonly strict: boolean;
  /** Node numbers, ascending; null allows all. */
  readonly nodes: readonly number[] | null;
  /** Leases that may be preempted, in the order in which they are tried. */
  readonly candidates: readonly Lease[];
  /** A mapping that ends before this is useless (never after `end`). */
  readonly worthwhileUntil: Instant;
  /** A search for this start that asked for the whole interval: what it has found need not be looked for again. */
  readonly search?: PlaceSearch | null;
}

export interface FoundMapping {
  /** Machine -> node; index 0 is not used. */
  readonly mapping: readonly number[];
  /** Node -> total amount held by the machines there. */
  readonly amounts: ReadonlyMap<number, Vector>;
  /** The end of the mapping. */
  readonly end: Instant;
  /** The candidates that must be preempted for it. */
  readonly preempted: readonly Lease[];
}

/**
 * Maps the machines of a lease to nodes: nodes in order of host selection, as many machines on each as fit (next fit).
 * On failure, one more candidate is considered preempted and the search restarts.
 */
export class GreedyMapper {
  private readonly view: HostView;
  /** Mappings of a lease are requested repeatedly while it waits. */
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
      const { nodes, search, strict, start } = request;
      const found = (strict && nodes === null && search?.nodesAt(start)) || null;
      const useful = found ?? this.useful(request);
      return useful && this.place(request, this.order(request, useful), noLeases);
    }
    const order = this.order(request, this.nodesOf(request));
    const gone = new Set<Lease>();
    for (const candidate of [null, ...request.candidates]) {
      if (candidate) gone.add(candidate);
      const found = this.place(request, order, gone);
      if (found) return found;
    }
    return null;
  }

  /** The request, shortened to what the quotas of the lease's project allow; null if that is useless. */
  private withinQuotas(request: MappingRequest): MappingRequest | null {
    const { end, lease, start, strict, worthwhileUntil } = request;
    const reach = this.quotas.reach(lease, start, end);
    if (reach === end) return request;
    return strict || reach < worthwhileUntil || reach <= start ? null : { ...request, end: reach };
  }

  /** As `map`; fails fast when it does not fit even without all candidates. */
  mapBeside(request: MappingRequest): FoundMapping | null {
    const alone = this.map({ ...request, candidates: [] });
    if (alone || request.candidates.length === 0) return alone;
    const withoutAll = this.place(request, this.order(request, this.nodesOf(request)), new Set(request.candidates));
    return withoutAll && this.map(request);
  }

  /** As `refit`, preempting one more candidate at a time until it fits. */
  refitBeside(request: MappingRequest, mapping: readonly number[]): FoundMapping | null {
    const gone = new Set<Lease>();
    for (const candidate of [null, ...request.candidates]) {
      if (candidate) gone.add(candidate);
      const found = this.refit(request, mapping, gone);
      if (found) return found;
    }
    return null;
  }

  /** Whether an old mapping still fits unchanged (R55): its end, or null. */
  refit(asked: MappingRequest, mapping: readonly number[], gone: ReadonlySet<Lease> = new Set()): FoundMapping | null {
    const request = this.withinQuotas(asked);
    if (!request) return null;
    const { lease, start, worthwhileUntil, strict } = request;
    const { site } = this.table;
    if (gone.size === 0 && site.firstBelow(start, worthwhileUntil, lease.totals) < worthwhileUntil) return null;
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
   * A lower bound on when the machines fit in their old places for `reach`. What the lease holds in `own` counts as
   * free.
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

  /** A lower bound on when the machines fit for `reach`. What the lease holds in `own` counts as free. */
  search(lease: Lease, reach: Millis, own: VmReservation | null = null): PlaceSearch {
    return new PlaceSearch(this.table, lease, reach, own);
  }

  /**
   * The nodes on which a machine fits at the start, and throughout where that is required: others do not change the
   * result. Null where too little is free on the site as a whole, or on too few nodes.
   */
  private useful(request: MappingRequest): NodeProfile[] | null {
    const { lease, start, end, strict, worthwhileUntil } = request;
    if (this.table.site.firstBelow(start, worthwhileUntil, lease.totals) < worthwhileUntil) return null;
    const need = smallestNeed(lease);
    const wanted = lease.machineCount;
    const until = strict ? end : worthwhileUntil;
    const useful: NodeProfile[] = [];
    let places = 0;
    for (const node of this.nodesOf(request)) {
      if (!this.table.freeNow.hasRoom(node.number, need, start)) continue;
      if (!strict && need.shares.length > 0 && !fits(need, node.freeAt(start))) continue;
      const here = strict || places < wanted ? countPlaces(node, need, start, until, wanted) : 0;
      places += here;
      if (here > 0 || !strict) useful.push(node);
    }
    return places < wanted ? null : useful;
  }

  private nodesOf({ nodes }: MappingRequest): readonly NodeProfile[] {
    const all = this.table.nodes;
    return nodes ? nodes.map((number) => all[number] as NodeProfile) : all.slice(1);
  }

  /** Nodes by descending score, ties by ascending number. */
  private order({ lease, start }: MappingRequest, nodes: readonly NodeProfile[]): readonly NodeProfile[] {
    if (this.hostSelection.indifferent) return nodes;
    const scores = new Map<NodeProfile, number>();
    let isOrdered = true;
    let last = Number.POSITIVE_INFINITY;
    for (const node of nodes) {
      const score = this.hostSelection.score(this.view.show(node, start), lease.view, start);
      isOrdered &&= score <= last;
      last = score;
      scores.set(node, score);
    }
    if (isOrdered) return nodes;
    return [...nodes].sort((a, b) => (scores.get(b) as number) - (scores.get(a) as number));
  }

  private place(request: MappingRequest, order: readonly NodeProfile[], gone: ReadonlySet<Lease>): FoundMapping | null {
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

const noLeases: ReadonlySet<Lease> = new Set();

/** Free capacity of a node from an instant on, ignoring the leases in `gone`. */
class Reach {
  private readonly first: number;

  constructor(
    readonly node: NodeProfile,
    start: Instant,
    private readonly gone: ReadonlySet<Lease>,
  ) {
    this.first = node.indexAt(start);
  }

  /** Until when the need fits, at most `end`; null if it does not fit at the start. */
  of(need: Need, end: Instant): Instant | null {
    const { segments } = this.node;
    const minFree = need.shares.length > 0 ? [...this.free(segments[this.first] as Segment)] : null;
    for (let i = this.first; i < segments.length; i += 1) {
      const segment = segments[i] as Segment;
      if (i > this.first && segment.time >= end) break;
      const free = this.free(segment);
      // A share stays in one instance throughout, so the minimum free capacity of the instance so far counts.
      if (minFree)
        for (let d = 0; d < minFree.length; d += 1) minFree[d] = Math.min(minFree[d] as number, free[d] as number);
      if (!fits(need, minFree ?? free)) return i === this.first ? null : segment.time;
    }
    return end;
  }

  /** The need as a vector, with every share in an instance that has room for it until `end`. */
  pack(need: Need, end: Instant): Vector {
    if (need.shares.length === 0) return need.vector;
    const { segments } = this.node;
    const minFree = [...this.free(segments[this.first] as Segment)];
    for (let i = this.first + 1; i < segments.length && (segments[i] as Segment).time < end; i += 1) {
      const free = this.free(segments[i] as Segment);
      for (let d = 0; d < minFree.length; d += 1) minFree[d] = Math.min(minFree[d] as number, free[d] as number);
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
