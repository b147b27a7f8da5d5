import type { ResourceSpace, Vector } from '../model/capacity.ts';
import type { SchedulerConfig } from '../model/config.ts';
import { type Lease, type Mapping, Reservation } from '../model/lease.ts';
import type { Instant, Millis } from '../model/records.ts';
import { transferTime } from '../model/time.ts';
import { MIGRATION_BANDWIDTH } from './estimates.ts';

/** Machine -> node on which what is left of a suspended lease lies. */
export interface Saved {
  readonly memoryAt: ReadonlyMap<number, number>;
  readonly diskAt: ReadonlyMap<number, number>;
}

export type Move = readonly [machine: number, from: number, to: number];

/**
 * Plans the moves of saved memory and disk images that must come before a lease is resumed on other nodes (R42, R53).
 */
export class MigrationPlanner {
  constructor(
    private readonly config: SchedulerConfig,
    private readonly space: ResourceSpace,
  ) {}

  /** Disk images first, then memory; each in groups one after the other, none before `from`. */
  plan(lease: Lease, saved: Saved, mapping: Mapping, from: Instant): Reservation[] {
    if (this.config.migration === 'no') return [];
    const disks = this.moves(saved.diskAt, mapping);
    const image = lease.image;
    const diskMigrations = image
      ? this.groups(lease, 'DISK_MIGRATION', disks, from, () => transferTime(image.sizeMb, MIGRATION_BANDWIDTH))
      : [];
    const memory = this.moves(saved.memoryAt, mapping);
    const memoryMigrations = this.groups(
      lease,
      'MEMORY_MIGRATION',
      memory,
      diskMigrations.at(-1)?.end ?? from,
      (group) =>
        transferTime(Math.max(...group.map(([machine]) => lease.memory[machine] as number)), MIGRATION_BANDWIDTH),
    );
    return [...diskMigrations, ...memoryMigrations];
  }

  private moves(at: ReadonlyMap<number, number>, mapping: Mapping): Move[] {
    return [...at]
      .filter(([machine, node]) => mapping[machine] !== node)
      .map(([machine, node]): Move => [machine, node, mapping[machine] as number])
      .sort((a, b) => a[0] - b[0]);
  }

  private groups(
    lease: Lease,
    kind: 'DISK_MIGRATION' | 'MEMORY_MIGRATION',
    moves: readonly Move[],
    from: Instant,
    length: (group: readonly Move[]) => Millis,
  ): Reservation[] {
    if (moves.length === 0) return [];
    const make = (start: Instant, end: Instant, amounts: ReadonlyMap<number, Vector>, group: readonly Move[]) => {
      const reservation = new Reservation(lease, kind, start, end, amounts);
      reservation.moves = group;
      return reservation;
    };
    if (this.config.migration === 'yes-notransfer') return [make(from, from, new Map(), moves)];
    let start = from;
    return nonConflicting(moves).map((group) => {
      const end = start + length(group);
      const reservation = make(start, end, this.channels(group), group);
      start = end;
      return reservation;
    });
  }

  private channels(group: readonly Move[]): Map<number, Vector> {
    const perNode = new Map<number, Record<string, number>>();
    for (const [, from, to] of group) {
      perNode.set(from, { ...perNode.get(from), 'Net-out': MIGRATION_BANDWIDTH });
      perNode.set(to, { ...perNode.get(to), 'Net-in': MIGRATION_BANDWIDTH });
    }
    return new Map([...perNode].map(([node, amounts]) => [node, this.space.only(amounts)]));
  }
}

/** Repeatedly, in order, takes each remaining move whose origin and destination are both still unused in the group. */
const nonConflicting = (moves: readonly Move[]): Move[][] => {
  const groups: Move[][] = [];
  let remaining = moves;
  while (remaining.length > 0) {
    const used = new Set<number>();
    const group: Move[] = [];
    const left: Move[] = [];
    for (const move of remaining) {
      const [, from, to] = move;
      if (used.has(from) || used.has(to)) left.push(move);
      else {
        used.add(from).add(to);
        group.push(move);
      }
    }
    groups.push(group);
    remaining = left;
  }
  return groups;
};
