import type { Journal } from '../journal.ts';
import type { ResourceSpace, Vector } from '../model/capacity.ts';
import type { Reservation, VmReservation } from '../model/lease.ts';
import type { Amounts, Instant, SiteSpec } from '../model/records.ts';
import { FOREVER } from '../model/time.ts';
import { FreedSpace } from './freed-space.ts';
import type { Interval, NodeProfile } from './node-profile.ts';
import { type Holder, Occupancy } from './occupancy.ts';
import { OrderedIndex } from './ordered-index.ts';
import { prematureEnd } from './premature-end.ts';
import type { PresentFree } from './present-free.ts';
import { ProjectLedgers } from './project-ledgers.ts';
import { ReleaseTimes } from './release-times.ts';
import { rivals } from './rivals.ts';
import type { SearchBounds } from './search-bounds.ts';
import type { SiteProfile } from './site-profile.ts';

/**
 * All present and future reservations, and what they leave free: per node, for the site as a whole, and in order of
 * start and of end. Nothing is ever rebuilt: each reservation changes the profiles that it touches.
 *
 * A chain (resumptions, VM, suspensions or shutdown) follows without a gap and holds the same throughout, so it is one
 * hold a node.
 */
export class SlotTable {
  readonly releases = new ReleaseTimes();
  readonly freed = new FreedSpace();
  readonly projects: ProjectLedgers;
  readonly freeNow: PresentFree;
  readonly bounds: SearchBounds;
  private readonly occupancy: Occupancy;

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
  private readonly present = new Set<Reservation>();
  /** The last rank that was given out; also used for places in the queue. */
  lastRank = 0;

  constructor(
    readonly space: ResourceSpace,
    site: SiteSpec,
    private readonly journal: Journal,
  ) {
    this.projects = new ProjectLedgers(journal);
    this.occupancy = new Occupancy(space, site, journal, this.projects);
    this.freeNow = this.occupancy.freeNow;
    this.bounds = this.occupancy.bounds;
  }

  /** By node number; index 0 is not used. The image repository is not among them: nothing is ever placed there. */
  get nodes(): readonly NodeProfile[] {
    return this.occupancy.nodes;
  }

  /** Free on the nodes that may be used. */
  get site(): SiteProfile {
    return this.occupancy.site;
  }

  /** Capacity of the whole site, by resource type. */
  get capacity(): readonly number[] {
    return this.occupancy.capacity;
  }

  /** Whether some node may not be used at some time. */
  get hasClosedNodes(): boolean {
    return this.occupancy.hasClosedNodes;
  }

  /** What lies before it is no longer asked for. */
  get now(): Instant {
    return this.occupancy.now;
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
    if (now > this.now) this.occupancy.moveTo(now);
  }

  nextRank(): number {
    this.journal.set(this, 'lastRank', this.lastRank + 1);
    return this.lastRank;
  }

  // ------------------------------------------------------------------ nodes

  /** One more node, with the next number. */
  addNode(capacity: Amounts): void {
    this.occupancy.addNode(capacity);
    this.giveBack(this.now, FOREVER, [this.nodeCount]);
  }

  /** Another capacity for a node on which nothing is held. */
  replaceNode(number: number, capacity: Amounts): void {
    this.occupancy.replaceNode(number, capacity);
    this.giveBack(this.now, FOREVER, [number]);
  }

  /** When a node may not be used, ascending and apart from each other. */
  closeNode(number: number, intervals: readonly Interval[]): void {
    const before = this.nodes[number]?.unavailable ?? [];
    this.occupancy.close(number, intervals);
    // More than what was really given back does no harm.
    for (const { start, end } of before) this.giveBack(start, end, [number]);
  }

  /** Something that is no reservation holds an amount on a node from now on until `end`. */
  hold(holder: Holder, node: number, amounts: Vector, end: Instant): void {
    this.occupancy.hold(holder, new Map([[node, amounts]]), this.now, end, false);
    this.addReleaseTime(end);
  }

  /** It is gone, at `end` or before. */
  release(holder: Holder, node: number, end: Instant): void {
    this.occupancy.release(holder);
    this.removeReleaseTime(end);
    this.giveBack(this.now, end, [node]);
  }

  // ------------------------------------------------------------------ chains

  /** Puts in the chain of a VM: each reservation goes after those with an equal start (end). */
  addChain(vm: VmReservation): void {
    this.numberChain(vm);
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
    this.giveBack(vm.holdStart, vm.finalEnd, vm.amounts.keys());
  }

  /** Everybody has looked at what was given back. */
  nextRoundOfLooking(): void {
    this.journal.record(this.freed.nextRound());
  }

  private giveBack(start: Instant, end: Instant, nodes: Iterable<number>): void {
    this.journal.record(this.freed.add(start, end, nodes, this.now));
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
    this.journal.save(vm);
    vm.end = end;
    vm.after = after;
    this.numberChain(vm);
    this.insert(vm);
    for (const reservation of after) this.insert(reservation);
    this.holdChain(vm);
  }

  /** A reservation has come to its planned end: it leaves the table, and what it held with it. */
  complete(reservation: Reservation): void {
    const vm = reservation.kind === 'VM' ? (reservation as VmReservation) : reservation.vm;
    if (reservation === vm) {
      this.removeReleaseTime(vm.finalEnd);
      for (const each of vm.after) this.addReleaseTime(each.end);
    } else if (vm?.after.includes(reservation)) {
      this.removeReleaseTime(reservation.end);
    }
    this.withdraw(reservation);
    if (reservation !== vm) this.occupancy.release(reservation);
    if (vm && !vm.chain.some((each) => this.present.has(each))) this.occupancy.release(vm);
  }

  // ------------------------------------------------------------------ single reservations (transfers)

  add(reservation: Reservation): void {
    this.insert(reservation);
    this.occupancy.hold(reservation, reservation.amounts, reservation.start, reservation.end, false);
  }

  remove(reservation: Reservation): void {
    this.occupancy.release(reservation);
    this.withdraw(reservation);
  }

  /** Puts one back exactly where it was: its ranks are kept. */
  restore(reservation: Reservation): void {
    this.enter(reservation);
    this.occupancy.hold(reservation, reservation.amounts, reservation.start, reservation.end, false);
  }

  /** As addChain, with the ranks that its reservations have. */
  restoreChain(vm: VmReservation): void {
    for (const reservation of vm.chain)
      if (reservation.state === 'SCHEDULED' || reservation.state === 'ACTIVE') this.enter(reservation);
    this.holdChain(vm);
  }

  /**
   * Puts a chain after equal keys, as if it had been taken out and put in again, if another reservation came after one
   * of its own and their order is of consequence. Returns the reservations that have new places.
   */
  moveBehindEquals(vm: VmReservation): readonly Reservation[] {
    const chain = vm.chain.filter((each) => each.state !== 'DONE');
    if (!chain.some((each) => this.isOvertaken(each))) return [];
    for (const each of chain) this.withdraw(each);
    for (const each of chain) this.insert(each);
    return chain;
  }

  /** Whether a reservation with an equal end was inserted after this one and their order has consequences. */
  private isOvertaken(reservation: Reservation): boolean {
    const rival = rivals[reservation.kind];
    if (!rival) return false;
    const { end, endRank } = reservation;
    for (const other of this.ends.after(end, endRank)) {
      if (other.end !== end) return false;
      if (other.kind === rival && other.vm !== reservation.vm) return true;
    }
    return false;
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

  /** Starts and ends of reservations in [from, to], ascending. */
  changepoints(from: Instant, to: Instant): Instant[] {
    const times = new Set<Instant>();
    for (const { start } of this.starts.from(from, true)) {
      if (start > to) break;
      times.add(start);
    }
    for (const { end } of this.ends.from(from, true)) {
      if (end > to) break;
      times.add(end);
    }
    return [...times].sort((a, b) => a - b);
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
    this.journal.save(reservation);
    reservation.startRank = this.nextRank();
    reservation.endRank = reservation.startRank;
    this.enter(reservation);
  }

  private enter(reservation: Reservation): void {
    if (reservation.kind === 'VM') {
      const vm = reservation as VmReservation;
      this.journal.set(vm, 'prematureEnd', prematureEnd(vm));
    }
    this.put(reservation);
    this.journal.record(() => this.take(reservation));
  }

  private withdraw(reservation: Reservation): void {
    if (!this.present.has(reservation)) return;
    this.take(reservation);
    this.journal.record(() => this.put(reservation));
  }

  private put(reservation: Reservation): void {
    this.present.add(reservation);
    this.starts.insert(reservation);
    this.ends.insert(reservation);
    if (reservation.kind === 'VM') this.countVm(reservation as VmReservation, 1);
  }

  private take(reservation: Reservation): void {
    this.present.delete(reservation);
    this.starts.remove(reservation);
    this.ends.remove(reservation);
    if (reservation.kind === 'VM') this.countVm(reservation as VmReservation, -1);
  }

  private countVm(vm: VmReservation, sign: 1 | -1): void {
    this.projects.plan(vm, sign);
    if (vm.prematureEnd !== null && sign === 1) this.premature.insert(vm);
    if (vm.prematureEnd !== null && sign === -1) this.premature.remove(vm);
  }

  private holdChain(vm: VmReservation): void {
    const { finalEnd } = vm;
    this.occupancy.hold(vm, vm.amounts, vm.holdStart, finalEnd, true);
    for (const each of vm.before) {
      if (each.kind !== 'RESUMPTION' && this.present.has(each))
        this.occupancy.hold(each, each.amounts, each.start, each.end, false);
    }
    if (this.present.has(vm)) this.addReleaseTime(finalEnd);
    else for (const each of vm.after) if (this.present.has(each)) this.addReleaseTime(each.end);
  }

  private releaseChain(vm: VmReservation): void {
    if (this.present.has(vm)) this.removeReleaseTime(vm.finalEnd);
    else for (const each of vm.after) if (this.present.has(each)) this.removeReleaseTime(each.end);
    this.occupancy.release(vm);
    for (const each of vm.before) this.occupancy.release(each);
  }

  /** An instant at which something can start that could not before. */
  addReleaseTime(time: Instant): void {
    this.releases.add(time);
    this.journal.record(() => this.releases.remove(time));
  }

  removeReleaseTime(time: Instant): void {
    this.releases.remove(time);
    this.journal.record(() => this.releases.add(time));
  }

  private numberChain({ before, after }: VmReservation): void {
    for (const [index, each] of before.entries()) this.journal.set(each, 'chainIndex', index - before.length);
    for (const [index, each] of after.entries()) this.journal.set(each, 'chainIndex', index + 1);
  }
}
