import { type Amounts, getOrCreate, type ReservationKind, type SiteSpec, totalAmount } from '../../core/index.ts';
import type { LeaseResult, ReservationResult, Seconds, SimulationResult } from '../result.ts';
import type { Workload } from '../workload.ts';

/** A lease on a node over some time. Vertical positions are shares of the row of the node, 0 at its top. */
export interface Bar {
  readonly lease: number;
  readonly kind: ReservationKind;
  readonly node: number;
  readonly start: Seconds;
  readonly end: Seconds;
  readonly top: number;
  readonly height: number;
}

/** A bar over the rows of several nodes. */
export interface RowsBar extends Bar {
  readonly rows: number;
}

/** A transfer between nodes, which holds none of their CPU. */
export interface Move {
  readonly lease: number;
  readonly kind: ReservationKind;
  readonly nodes: readonly number[];
  readonly start: Seconds;
  readonly end: Seconds;
}

export interface Layout {
  readonly bars: readonly Bar[];
  readonly moves: readonly Move[];
}

/** The time of one machine on one node without a break: from its start or resumption to its suspension or shutdown. */
interface Stay {
  readonly lease: number;
  readonly node: number;
  readonly share: number;
  readonly parts: { kind: ReservationKind; start: Seconds; end: Seconds }[];
}

/**
 * Places everything that was executed. Machines that share a node lie one below the other, as high as their share of
 * its CPU.
 */
export function layOut(result: SimulationResult, workload: Workload, site: SiteSpec): Layout {
  const machinesOf = new Map(workload.leases.map((lease) => [lease.id, lease.machines]));
  const capacity = new Map(site.nodes.map((node) => [node.number, totalAmount(node.capacity.CPU)]));
  const byNode = new Map<number, Stay[]>();
  const moves: Move[] = [];
  for (const lease of result.leases) {
    for (const reservation of lease.reservations) {
      const nodes = movedBetween(reservation);
      if (nodes !== null) moves.push({ lease: lease.id, ...reservation, nodes });
    }
    for (const stay of stays(lease, machinesOf.get(lease.id) ?? [], capacity)) {
      getOrCreate(byNode, stay.node, (): Stay[] => []).push(stay);
    }
  }
  return { bars: [...byNode.values()].flatMap(stack), moves };
}

function movedBetween({ kind, moves, targets }: ReservationResult): number[] | null {
  if (kind === 'IMAGE_TRANSFER') return Object.keys(targets ?? {}).map(Number);
  if (kind !== 'MEMORY_MIGRATION' && kind !== 'DISK_MIGRATION') return null;
  return [...new Set(Object.values(moves ?? {}).flat())];
}

function stays(lease: LeaseResult, machines: readonly Amounts[], capacity: ReadonlyMap<number, number>): Stay[] {
  const all: Stay[] = [];
  const present = new Map<string, Stay>();
  let nodes: Readonly<Record<string, number>> = {};
  for (const { kind, start, end, nodes: mapping } of lease.reservations) {
    if (kind !== 'VM' && kind !== 'SUSPENSION' && kind !== 'RESUMPTION' && kind !== 'SHUTDOWN') continue;
    if (kind === 'VM' && mapping !== undefined) nodes = mapping;
    for (const [machine, node] of Object.entries(mapping ?? nodes)) {
      let stay = present.get(machine);
      const before = stay?.parts.at(-1)?.kind;
      const begins = kind === 'RESUMPTION' || (kind === 'VM' && before !== 'RESUMPTION');
      if (stay === undefined || begins || stay.node !== node) {
        const share = Math.min(1, totalAmount(machines[Number(machine) - 1]?.CPU) / (capacity.get(node) || 1)) || 1;
        stay = { lease: lease.id, node, share, parts: [] };
        present.set(machine, stay);
        all.push(stay);
      }
      if (end > start) stay.parts.push({ kind, start, end });
    }
  }
  return all.filter(({ parts }) => parts.length > 0);
}

function stack(stays: Stay[]): Bar[] {
  const bars: Bar[] = [];
  let present: { top: number; bottom: number; end: Seconds }[] = [];
  const startOf = (stay: Stay) => stay.parts[0]?.start ?? 0;
  for (const stay of stays.sort((a, b) => startOf(a) - startOf(b))) {
    const start = startOf(stay);
    present = present.filter(({ end }) => end > start).sort((a, b) => a.top - b.top);
    let top = 0;
    for (const other of present) {
      if (other.top - top >= stay.share - 1e-9) break;
      top = Math.max(top, other.bottom);
    }
    // Without room beside the operations of other machines, it covers them.
    top = Math.max(0, Math.min(top, 1 - stay.share));
    const end = stay.parts.at(-1)?.end ?? start;
    present.push({ top, bottom: top + stay.share, end });
    for (const part of stay.parts) bars.push({ lease: stay.lease, node: stay.node, ...part, top, height: stay.share });
  }
  return bars;
}

/** Merges bars of one lease that fill the rows of neighbouring nodes at the same time. */
export function mergeRows(bars: readonly Bar[]): RowsBar[] {
  const merged: (Bar & { rows: number })[] = [];
  const open = new Map<string, Bar & { rows: number }>();
  for (const bar of [...bars].sort((a, b) => a.node - b.node || a.start - b.start)) {
    const key = `${bar.lease} ${bar.kind} ${bar.start} ${bar.end}`;
    const above = open.get(key);
    if (bar.height === 1 && above !== undefined && above.node + above.rows === bar.node) {
      above.rows += 1;
      continue;
    }
    const block = { ...bar, rows: 1 };
    merged.push(block);
    if (bar.height === 1) open.set(key, block);
  }
  return merged;
}
