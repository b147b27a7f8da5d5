import type { FoundMapping } from '../mapping/greedy-mapper.ts';
import type { PlaceSearch } from '../mapping/places.ts';
import { type Lease, type Reservation, VmReservation } from '../model/lease.ts';
import type { Instant, Millis } from '../model/records.ts';
import { LAST_INSTANT } from '../model/time.ts';
import { isInTheWay } from './candidates.ts';
import type { Saved } from './migration.ts';
import { type Plan, type Planning, precede } from './plan.ts';
import { type Readiness, readyToResume, readyToStart } from './readiness.ts';
import { releaseTimes, type StartWindow } from './soonest.ts';

/** What is left of a lease with a deadline, to be run in one piece. */
export interface Piece {
  readonly lease: Lease;
  /** Where its memory and images will lie; null: it has not run yet. */
  readonly saved: Saved | null;
  readonly remaining: Millis;
  /** No earlier start is possible, or wanted. */
  readonly notBefore: Instant;
  /** Running time that is planned before it, in VM reservations that are not over yet. */
  readonly plannedBefore: Millis;
}

/** Others that may be taken as gone over an interval, in the order in which they are to be tried. */
export type Candidates = (start: Instant, end: Instant) => readonly Lease[];

export const nobody: Candidates = () => [];

/** The current state of a lease. */
export function pieceOf(lease: Lease, now: Instant): Piece {
  return {
    lease,
    saved: lease.isSuspended ? lease : null,
    remaining: lease.remaining,
    notBefore: lease.isSuspended ? now : Math.max(now, lease.requestedStart ?? now),
    plannedBefore: 0,
  };
}

/** How long the piece takes at most, with everything round it. */
export function lengthOf({ estimates }: Planning, { lease, saved, remaining }: Piece): Millis {
  return remaining + estimates.shutdown(lease) + (saved ? estimates.resume(lease) : 0);
}

/** Tries starts for one piece. The slot table may change between two tries. */
export class PieceSearch {
  private readonly readiness: Readiness;
  private readonly length: Millis;

  constructor(
    private readonly planning: Planning,
    private readonly piece: Piece,
    private readonly now: Instant,
    private readonly deadline: Instant,
  ) {
    const { lease, saved, notBefore } = piece;
    this.readiness = saved
      ? readyToResume(planning, lease, saved, Math.max(now, notBefore))
      : readyToStart(planning, lease, now);
    this.length = lengthOf(planning, piece);
  }

  /** The starts that are worth trying in free capacity, and with what others give up: ascending. */
  starts(more: readonly Instant[] = []): Instant[] {
    const { piece, deadline, planning } = this;
    const first = Math.max((this.readiness.earliest[0] as { time: Instant }).time, piece.notBefore);
    const last = deadline - this.shortest;
    if (last < first) return [];
    const times = [
      ...this.readiness.earliest.map(({ time }) => Math.max(time, first)),
      ...planning.table.changepoints(first, last),
      ...planning.availability.boundaries(first, last),
      ...planning.quotas.startsThatMatter(piece.lease, first, last, this.length),
      ...more,
      deadline - this.length,
      last,
    ];
    return [...new Set(times.filter((time) => time >= first && time <= last))].sort((a, b) => a - b);
  }

  /** As soon as possible in free capacity: a later start can only be of use where something is given back (R7). */
  soonest(windows: readonly StartWindow[] | null): Plan | null {
    const { planning, piece, readiness } = this;
    const useful = (time: Instant) => windows?.some(({ from, to }) => time >= from && time <= to) ?? true;
    const earliest = new Set(readiness.earliest.map(({ time }) => Math.max(time, piece.notBefore)));
    for (const time of earliest) {
      const plan = useful(time) ? this.at(time, nobody) : null;
      if (plan) return plan;
    }
    const times = releaseTimes(planning, piece.lease);
    const places = planning.mapper.search(piece.lease, this.length);
    const last = this.deadline - this.shortest;
    let at = times.next(Math.max(...earliest));
    while (at !== null && at <= last) {
      const possible = places.notBefore(at, last);
      if (possible > at) {
        at = times.next(possible - 1);
        continue;
      }
      const plan = useful(at) ? this.at(at, nobody, places) : null;
      if (plan) return plan;
      at = times.next(at);
    }
    return null;
  }

  /** A plan from `start` that ends by the deadline, or null. */
  at(start: Instant, candidates: Candidates, places: PlaceSearch | null = null): Plan | null {
    const { planning, piece, deadline, now } = this;
    const { lease, saved } = piece;
    const end = start + this.length;
    if (end > LAST_INSTANT) return null;
    const found = this.fit(start, end, candidates(start, end), places);
    if (!found) return null;
    const vm = new VmReservation(lease, start, found.end, found.amounts, found.mapping);
    vm.plannedBefore = piece.plannedBefore;
    if (saved) {
      vm.before = planning.chains.resumptions(vm, start);
      vm.start = vm.before.at(-1)?.end ?? start;
    }
    vm.after = planning.chains.ending(vm, found.end, piece.remaining, planning.estimates.shutdown(lease));
    vm.end = (vm.after[0] as Reservation).start;
    if (vm.mustSuspend || vm.finalEnd > deadline) return null;
    if (saved) {
      vm.before.unshift(...planning.migrations.plan(lease, saved, vm.mapping, this.readiness.copiesFrom));
      precede(vm, vm.before);
    }
    const preparation = saved ? { sources: [], transfer: null } : planning.preparation.planSoonest(lease, vm, now);
    const victims = found.preempted.filter((victim) => isInTheWay(victim, vm.amounts, start, found.end));
    return { lease, vm, preparation, victims, isFuture: false };
  }

  /** What it takes at least: machines on different nodes are resumed side by side. */
  private get shortest(): Millis {
    const { lease, remaining } = this.piece;
    return remaining + this.planning.estimates.shutdown(lease);
  }

  private fit(
    start: Instant,
    end: Instant,
    candidates: readonly Lease[],
    search: PlaceSearch | null,
  ): FoundMapping | null {
    const { mapper, config } = this.planning;
    const { lease, saved } = this.piece;
    const latest = this.readiness.earliest.findLast(({ time }) => time <= start);
    // At the last of the earliest times every node is ready; some may be closed.
    const ready = latest === this.readiness.earliest.at(-1) ? null : (latest?.nodes ?? null);
    const nodes = this.readiness.reachable(ready, start);
    const request = { lease, start, end, strict: true, nodes, candidates, worthwhileUntil: end, search };
    if (saved && config.migration === 'no') return mapper.refitBeside(request, placesOf(lease, saved));
    return mapper.mapBeside(request);
  }
}

function placesOf(lease: Lease, { memoryAt }: Saved): number[] {
  const mapping = new Array<number>(lease.machineCount + 1).fill(0);
  for (const [machine, node] of memoryAt) mapping[machine] = node;
  return mapping;
}
