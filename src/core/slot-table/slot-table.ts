import type { ResourceSpace, Vector } from '../model/capacity.ts';
import type { Lease, Reservation, VmReservation } from '../model/lease.ts';
import type { Instant, SiteSpec } from '../model/records.ts';
import { SECOND } from '../model/time.ts';
import { FreedSpace } from './freed-space.ts';
import { type Hold, NodeProfile } from './node-profile.ts';
import { OrderedIndex } from './ordered-index.ts';
import { ReleaseTimes } from './release-times.ts';
import { SiteProfile } from './site-profile.ts';

/**
 * All present and future reservations, and what they leave free: per node, for the site as a whole, and in order of start and of end. Nothing is
 * ever rebuilt: each reservation changes the profiles that it touches.
 *
 * A chain (resumptions, VM, suspensions or shutdown) follows without a gap and holds the same throughout, so it is one hold a node.
 */
export class SlotTable {
  /** By node number; index 0 is not used. The image repository has no profile: nothing is ever placed there. */
  readonly nodes: readonly NodeProfile[];
  readonly site: SiteProfile;
  readonly releases = new ReleaseTimes();
  readonly freed = new FreedSpace();
  /** Capacity of the whole site, by resource type. */
  readonly capacity: readonly number[];

  private readonly starts = new OrderedIndex<Reservation>(
    (each) => each.start,
    (each) => each.startRank,
  );
  private readonly ends = new OrderedIndex<Reservation>(
    (each) => each.end,
    (each) => each.endRank,
  );
  private readonly premature = new OrderedIndex<VmReservation>(
    (each) => each.prematureEnd as Instant,
    (each) => each.id,
  );
  private readonly holds = new Map<
    Reservation,
    { readonly byNode: readonly [NodeProfile, Hold][]; readonly totals: readonly number[] | null }
  >();
  private readonly present = new Set<Reservation>();
  /** What lies before it is no longer asked for. */
  now: Instant = Number.NEGATIVE_INFINITY;
  /** The last rank that was given out; also used for places in the queue. */
  lastRank = 0;

  constructor(
    readonly space: ResourceSpace,
    site: SiteSpec,
  ) {
    const capacities = site.nodes.map((node) => space.capacity(node.capacity));
    this.nodes = [
      new NodeProfile(0, space.zero),
      ...capacities.map((capacity, index) => new NodeProfile(index + 1, capacity)),
    ];
    this.capacity = capacities.reduce(
      (sum, capacity) => space.totals(capacity).map((amount, type) => amount + (sum[type] as number)),
      space.types.map(() => 0),
    );
    this.site = new SiteProfile(space.types.length, this.capacity);
  }

  get size(): number {
    return this.present.size;
  }

  get nodeCount(): number {
    return this.nodes.length - 1;
  }

  has(reservation: Reservation): boolean {
    return this.present.has(reservation);
  }

  [Symbol.iterator](): IterableIterator<Reservation> {
    return this.starts[Symbol.iterator]();
  }

  /** Time has come to `now`; it never goes back. */
  moveTo(now: Instant): void {
    if (now <= this.now) return;
    this.now = now;
    this.site.forget(now);
  }

  nextRank(): number {
    this.lastRank += 1;
    return this.lastRank;
  }

  // ------------------------------------------------------------------ chains

  /** Puts in the chain of a VM: each reservation goes after those with an equal start (end). */
  addChain(vm: VmReservation): void {
    numberChain(vm);
    for (const reservation of vm.chain) if (reservation.state !== 'DONE') this.insert(reservation);
    this.holdChain(vm);
  }

  /** Takes a chain out for good: what it held is free again. */
  removeChain(vm: VmReservation): void {
    this.withdrawChain(vm);
    this.give(vm);
  }

  /** Notes that what the chain held will not be put back. */
  give(vm: VmReservation): void {
    this.freed.add(vm.holdStart, vm.finalEnd, vm.amounts.keys(), this.now);
  }

  /** Takes a chain out on trial: it is put back with reinsertChain, or given up with `give`. */
  withdrawChain(vm: VmReservation): void {
    this.releaseChain(vm);
    for (const reservation of vm.chain) this.withdraw(reservation);
  }

  /** Gives a running or planned VM another end and other reservations after it; the VM goes after equal keys again. */
  changeEnd(vm: VmReservation, end: Instant, after: Reservation[]): void {
    this.releaseChain(vm);
    this.give(vm);
    for (const reservation of vm.after) this.withdraw(reservation);
    this.withdraw(vm);
    vm.end = end;
    vm.after = after;
    numberChain(vm);
    this.insert(vm);
    for (const reservation of after) this.insert(reservation);
    this.holdChain(vm);
  }

  /** A reservation has come to its planned end: it leaves the table, and what it held with it. */
  complete(reservation: Reservation): void {
    const vm = reservation.kind === 'VM' ? (reservation as VmReservation) : reservation.vm;
    if (reservation === vm) {
      this.releases.remove(vm.finalEnd);
      for (const each of vm.after) this.releases.add(each.end);
    } else if (vm?.after.includes(reservation)) {
      this.releases.remove(reservation.end);
    }
    this.withdraw(reservation);
    if (reservation !== vm) this.unhold(reservation);
    if (vm && !vm.chain.some((each) => this.present.has(each))) this.unhold(vm);
  }

  // ------------------------------------------------------------------ single reservations (transfers)

  add(reservation: Reservation): void {
    this.insert(reservation);
    this.hold(reservation, reservation.amounts, reservation.start, reservation.end, null);
  }

  remove(reservation: Reservation): void {
    this.unhold(reservation);
    this.withdraw(reservation);
  }

  /** Puts one back exactly where it was: its ranks are kept. */
  restore(reservation: Reservation): void {
    this.enter(reservation);
    this.hold(reservation, reservation.amounts, reservation.start, reservation.end, null);
  }

  /** As addChain, with the ranks that its reservations have. */
  restoreChain(vm: VmReservation): void {
    for (const reservation of vm.chain)
      if (reservation.state === 'SCHEDULED' || reservation.state === 'ACTIVE') this.enter(reservation);
    this.holdChain(vm);
  }

  /**
   * Puts a chain back after equal keys. Its ranks change only if others with an equal start or end came after it: returns whether they did.
   */
  reinsertChain(vm: VmReservation): boolean {
    const overtaken = this.isOvertaken(vm);
    if (overtaken) this.addChain(vm);
    else this.restoreChain(vm);
    return overtaken;
  }

  /** Whether another reservation with an equal start (end) was inserted after one of the chain. */
  isOvertaken(vm: VmReservation): boolean {
    const { chain } = vm;
    return chain.some(
      (each) =>
        each.state !== 'DONE' &&
        (followsEqual(this.starts, each.start, each.startRank, (other) => other.start, vm) ||
          followsEqual(this.ends, each.end, each.endRank, (other) => other.end, vm)),
    );
  }

  // ------------------------------------------------------------------ queries

  /** Reservations in the table that start at an instant, in list order. */
  startingAt(time: Instant): Reservation[] {
    const found: Reservation[] = [];
    for (const reservation of this.starts.from(time, true)) {
      if (reservation.start !== time) break;
      found.push(reservation);
    }
    return found;
  }

  endingAt(time: Instant): Reservation[] {
    const found: Reservation[] = [];
    for (const reservation of this.ends.from(time, true)) {
      if (reservation.end !== time) break;
      found.push(reservation);
    }
    return found;
  }

  /** VMs that end by themselves at an instant, in end-list order. */
  endingPrematurelyAt(time: Instant): VmReservation[] {
    const found: VmReservation[] = [];
    for (const vm of this.premature.from(time, true)) {
      if (vm.prematureEnd !== time) break;
      found.push(vm);
    }
    return found.sort((a, b) => a.end - b.end || a.endRank - b.endRank);
  }

  /** The next start or end of a reservation after an instant; null when there is none. */
  nextChangepoint(after: Instant, inclusive = false): Instant | null {
    const start = this.starts.firstFrom(after, inclusive)?.start ?? Number.POSITIVE_INFINITY;
    const end = this.ends.firstFrom(after, inclusive)?.end ?? Number.POSITIVE_INFINITY;
    const next = Math.min(start, end);
    return next === Number.POSITIVE_INFINITY ? null : next;
  }

  nextPrematureEnd(after: Instant, inclusive = false): Instant | null {
    return this.premature.firstFrom(after, inclusive)?.prematureEnd ?? null;
  }

  /** Whether nothing of a resource type is free on the site at an instant. */
  isFull(time: Instant, type: string): boolean {
    const index = this.space.types.findIndex((each) => each.name === type);
    return index >= 0 && this.site.at(time, index) === 0;
  }

  // ------------------------------------------------------------------ inside

  private insert(reservation: Reservation): void {
    reservation.startRank = this.nextRank();
    reservation.endRank = reservation.startRank;
    this.enter(reservation);
  }

  private enter(reservation: Reservation): void {
    this.present.add(reservation);
    this.starts.insert(reservation);
    this.ends.insert(reservation);
    if (reservation.kind === 'VM') {
      const vm = reservation as VmReservation;
      vm.prematureEnd = prematureEnd(vm);
      if (vm.prematureEnd !== null) this.premature.insert(vm);
    }
  }

  private withdraw(reservation: Reservation): void {
    if (!this.present.delete(reservation)) return;
    this.starts.remove(reservation);
    this.ends.remove(reservation);
    if (reservation.kind === 'VM' && (reservation as VmReservation).prematureEnd !== null) {
      this.premature.remove(reservation as VmReservation);
    }
  }

  private holdChain(vm: VmReservation): void {
    const { finalEnd } = vm;
    this.hold(vm, vm.amounts, vm.holdStart, finalEnd, this.space);
    for (const each of vm.before) {
      if (each.kind !== 'RESUMPTION' && this.present.has(each))
        this.hold(each, each.amounts, each.start, each.end, null);
    }
    if (this.present.has(vm)) this.releases.add(finalEnd);
    else for (const each of vm.after) if (this.present.has(each)) this.releases.add(each.end);
  }

  private releaseChain(vm: VmReservation): void {
    if (this.present.has(vm)) this.releases.remove(vm.finalEnd);
    else for (const each of vm.after) if (this.present.has(each)) this.releases.remove(each.end);
    this.unhold(vm);
    for (const each of vm.before) this.unhold(each);
  }

  private hold(
    reservation: Reservation,
    amounts: ReadonlyMap<number, Vector>,
    start: Instant,
    end: Instant,
    counted: ResourceSpace | null,
  ): void {
    if (start >= end) return;
    const byNode: [NodeProfile, Hold][] = [];
    const sum = [...this.space.zero];
    for (const [number, vector] of amounts) {
      const node = this.nodes[number];
      if (!node) continue;
      const hold: Hold = { lease: reservation.lease, start, end, amounts: vector };
      node.forget(this.now);
      node.add(hold);
      byNode.push([node, hold]);
      if (counted)
        for (let d = 0; d < sum.length; d += 1) sum[d] = (sum[d] as number) + (vector[d] as number);
    }
    const totals = counted ? counted.totals(sum) : null;
    if (totals) this.site.add(Math.max(start, this.now), end, totals, -1);
    this.holds.set(reservation, { byNode, totals });
  }

  private unhold(reservation: Reservation): void {
    const held = this.holds.get(reservation);
    if (!held) return;
    this.holds.delete(reservation);
    for (const [node, hold] of held.byNode) node.remove(hold);
    const hold = held.byNode[0]?.[1];
    if (held.totals && hold) this.site.add(Math.max(hold.start, this.now), hold.end, held.totals, 1);
  }
}

const numberChain = ({ before, after }: VmReservation): void => {
  for (const [index, each] of before.entries()) each.chainIndex = index - before.length;
  for (const [index, each] of after.entries()) each.chainIndex = index + 1;
};

const followsEqual = (
  index: OrderedIndex<Reservation>,
  key: Instant,
  rank: number,
  keyOf: (item: Reservation) => Instant,
  own: VmReservation,
): boolean => {
  for (const item of index.from(key, true)) {
    if (keyOf(item) !== key) return false;
    if (item.startRank > rank && item !== own && item.vm !== own) return true;
  }
  return false;
};

/** When its machines will end by themselves, if that is before its end (R20); a machine runs for a second at least. */
const prematureEnd = (vm: VmReservation): Instant | null => {
  const { knownDuration, accumulated }: Lease = vm.lease;
  if (knownDuration === null) return null;
  const end = vm.start + Math.max(knownDuration - accumulated, SECOND);
  return knownDuration - accumulated < vm.end - vm.start && end < vm.end ? end : null;
};
