import type { Journal } from '../journal.ts';
import type { ResourceSpace } from '../model/capacity.ts';
import type { ImageTransferConfig } from '../model/config.ts';
import {
  inEntryOrder,
  type Lease,
  type TransferEntry,
  TransferReservation,
  type VmReservation,
} from '../model/lease.ts';
import type { CachedImageRecord, DiskImage, Instant, Millis } from '../model/records.ts';
import { transferTime } from '../model/time.ts';
import type { SlotTable } from '../slot-table/slot-table.ts';
import { ImageCaches } from './image-cache.ts';
import {
  type EarliestTime,
  type ImageSource,
  nothingToPrepare,
  type Preparation,
  type PreparationPlan,
} from './preparation.ts';
import { lastSlot, nextSlot } from './transfer-slots.ts';

/** What the scheduler does when a transfer makes a lease ready, starts or is dropped. */
export interface TransferEvents {
  /** Called before a lease is changed. */
  changes(lease: Lease): void;
  planned(transfer: TransferReservation): void;
  changed(transfer: TransferReservation): void;
  /** Left without entries: stopped when it was running, dropped when it was not. */
  dropped(transfer: TransferReservation, now: Instant): void;
  preparing(lease: Lease, now: Instant): void;
  ready(lease: Lease, now: Instant): void;
}

type NodeSource =
  | { readonly time: Instant; readonly kind: 'transfer' | 'reuse' }
  | { readonly time: Instant; readonly kind: 'piggyback'; readonly on: TransferReservation };

/**
 * Images are copied from a repository to the nodes before machines first start; transfers share one channel. What was
 * planned is carried out also where no more transfers are planned.
 */
export class ImageTransfers implements Preparation {
  /** Pending and running, in order of (start, end), later insertions after equal ones. */
  private transfers: TransferReservation[] = [];
  private readonly caches: ImageCaches;

  constructor(
    private readonly config: ImageTransferConfig,
    private readonly space: ResourceSpace,
    private readonly table: SlotTable,
    private readonly events: TransferEvents,
    private readonly journal: Journal,
    cached: readonly CachedImageRecord[] = [],
  ) {
    this.caches = new ImageCaches(config.cacheSizeMb, journal, cached);
  }

  earliestTimes(lease: Lease, now: Instant): readonly EarliestTime[] {
    if (!lease.image) return [{ time: now, nodes: null }];
    const times = this.sources(lease, lease.image, now);
    const nodes = times.map((_source, node) => node).slice(1);
    const distinct = [...new Set(nodes.map((node) => (times[node] as NodeSource).time))].sort((a, b) => a - b);
    return distinct.map((time) => ({
      time,
      nodes: nodes.filter((node) => (times[node] as NodeSource).time <= time),
    }));
  }

  reachable(lease: Lease, now: Instant): readonly number[] | null {
    const { image } = lease;
    if (!image || !this.table.hasClosedNodes) return null;
    const length = this.length(image, lease.machineCount);
    return this.sources(lease, image, now).flatMap((source, node) => {
      if (node === 0) return [];
      if (source.kind === 'reuse') return [node];
      const from = source.kind === 'piggyback' ? source.on.start : source.time - length;
      return this.table.nodes[node]?.isOpen(from, source.time) ? [node] : [];
    });
  }

  reachableBy(lease: Lease, start: Instant): readonly number[] | null {
    const { image } = lease;
    if (!image || !this.table.hasClosedNodes) return null;
    const from = lastSlot(this.transfers, start, this.length(image, lease.machineCount));
    return this.table.nodes.slice(1).flatMap((node) => (node.isOpen(from, start) ? [node.number] : []));
  }

  planSoonest(lease: Lease, vm: VmReservation, now: Instant): PreparationPlan {
    if (!lease.image) return nothingToPrepare;
    const times = this.sources(lease, lease.image, now);
    const sources = vm.mapping
      .slice(1)
      .map((node, index): ImageSource => ({ ...(times[node] as NodeSource), machine: index + 1, node }));
    const count = sources.filter(({ kind }) => kind === 'transfer').length;
    if (count === 0) return { sources, transfer: null };
    const start = nextSlot(this.transfers, now, this.length(lease.image, lease.machineCount));
    return { sources, transfer: { start, end: start + this.length(lease.image, count) } };
  }

  planByStart(lease: Lease, vm: VmReservation, now: Instant): PreparationPlan | null {
    const { image } = lease;
    if (!image) return nothingToPrepare;
    const deadline = lease.requestedStart as Instant;
    const sources = vm.mapping.slice(1).map((node, index): ImageSource => {
      const reusable = this.keepsImages && (this.caches.timeout(node, image) ?? Number.NEGATIVE_INFINITY) >= deadline;
      return { kind: reusable ? 'reuse' : 'transfer', machine: index + 1, node };
    });
    const count = sources.filter(({ kind }) => kind === 'transfer').length;
    if (count === 0) return { sources, transfer: null };
    const length = this.length(image, count);
    const start = lastSlot(this.transfers, deadline, length);
    return start < now ? null : { sources, transfer: { start, end: start + length } };
  }

  join(lease: Lease, { sources }: PreparationPlan): void {
    for (const source of sources) {
      if (source.kind !== 'piggyback') continue;
      const { machine, node, on } = source;
      if (on.entries.some((entry) => entry.lease === lease && entry.machine === machine)) continue;
      this.events.changes(lease);
      this.journal.save(on);
      on.entries = inEntryOrder([...on.entries, { lease, machine, node }]);
      lease.transfers.add(on);
      this.events.changed(on);
    }
  }

  commit(lease: Lease, vm: VmReservation, { sources, transfer }: PreparationPlan): boolean {
    const { image } = lease;
    if (!image) return true;
    const entries: TransferEntry[] = [];
    for (const source of sources) {
      const { machine, node } = source;
      if (source.kind === 'reuse') {
        this.caches.reuse(node, image, lease.id, machine, vm.finalEnd);
        lease.diskAt.set(machine, node);
      } else if (source.kind === 'transfer') {
        entries.push({ lease, machine, node });
      }
    }
    if (transfer) this.add(lease, image, transfer.start, transfer.end, entries);
    return sources.every(({ kind }) => kind === 'reuse');
  }

  /** Takes back what was prepared for a lease (R23). A transfer that is left without entries is stopped or dropped. */
  withdraw(lease: Lease, keepImages: boolean, now: Instant): void {
    this.events.changes(lease);
    const affected = [...lease.transfers];
    lease.transfers.clear();
    for (const transfer of affected) {
      this.journal.save(transfer);
      transfer.entries = transfer.entries.filter((entry) => entry.lease !== lease);
      if (transfer.entries.length > 0) {
        this.events.changed(transfer);
      } else {
        this.setTransfers(this.transfers.filter((each) => each !== transfer));
        this.table.remove(transfer);
        this.events.dropped(transfer, now);
      }
    }
    if (keepImages) return;
    this.caches.release(lease.id);
    lease.diskAt.clear();
  }

  /** Everything on the node is lost. */
  lose(node: number): void {
    this.caches.lose(node);
  }

  private setTransfers(transfers: TransferReservation[]): void {
    const before = this.transfers;
    this.transfers = transfers;
    this.journal.record(() => {
      this.transfers = before;
    });
  }

  /** The lease has ended: its images and its use of cached ones are over. */
  cleanUp(lease: Lease): void {
    this.caches.release(lease.id);
    lease.diskAt.clear();
  }

  startTransfer(transfer: TransferReservation, now: Instant): void {
    transfer.startedWith = transfer.entries;
    const owner = transfer.lease;
    if (owner.state === 'SCHEDULED' && transfer.entries.some(({ lease }) => lease === owner))
      this.events.preparing(owner, now);
  }

  /** A transfer that is going on; null when there is none with this number. */
  underWay(id: number): TransferReservation | null {
    return this.transfers.find((each) => each.id === id && each.state === 'ACTIVE') ?? null;
  }

  /** A transfer that is going on has another end: those in its way come later. Returns all that have other times. */
  extend(transfer: TransferReservation, until: Instant): readonly TransferReservation[] {
    const moved = [transfer];
    this.move(transfer, transfer.start, until);
    let free = until;
    for (const each of this.transfers) {
      if (each.state !== 'SCHEDULED') continue;
      if (each.start >= free) break;
      this.move(each, free, free + each.end - each.start);
      free = each.end;
      moved.push(each);
    }
    return moved;
  }

  private move(transfer: TransferReservation, start: Instant, end: Instant): void {
    this.table.remove(transfer);
    this.journal.save(transfer);
    transfer.start = start;
    transfer.end = end;
    this.table.restore(transfer);
  }

  endTransfer(transfer: TransferReservation, now: Instant): void {
    this.setTransfers(this.transfers.filter((each) => each !== transfer));
    const byNode = new Map<number, TransferEntry[]>();
    for (const entry of transfer.entries) {
      byNode.set(entry.node, [...(byNode.get(entry.node) ?? []), entry]);
      entry.lease.diskAt.set(entry.machine, entry.node);
    }
    if (this.keepsImages) {
      for (const [node, entries] of byNode) {
        const ends = entries.map(({ lease }) => lease.vm?.finalEnd ?? now);
        const users = entries.map(({ lease, machine }): [number, number] => [lease.id, machine]);
        this.caches.deliver(node, transfer.image, users, Math.max(...ends));
      }
    }
    for (const lease of new Set(transfer.entries.map(({ lease }) => lease))) {
      lease.transfers.delete(transfer);
      if (lease.transfers.size === 0 && (lease.state === 'SCHEDULED' || lease.state === 'PREPARING'))
        this.events.ready(lease, now);
    }
  }

  cachedImages(): readonly CachedImageRecord[] {
    return this.caches.records();
  }

  /** Whether the caches changed since this was last asked. */
  takeChanged(): boolean {
    const { changed } = this.caches;
    this.caches.changed = false;
    return changed;
  }

  /** Takes in a transfer of a snapshot, in order of (start, rank). */
  restore(transfer: TransferReservation): void {
    this.enlist(transfer);
    for (const { lease } of transfer.entries) lease.transfers.add(transfer);
    this.table.restore(transfer);
  }

  private get repository(): number {
    return Math.max(1000, this.table.nodeCount + 1);
  }

  private get keepsImages(): boolean {
    return this.config.reuse === 'image-caches';
  }

  /** By node: from when on, and how, the lease's image can be there. */
  private sources(lease: Lease, image: DiskImage, now: Instant): NodeSource[] {
    const length = this.length(image, lease.machineCount);
    const byTransfer: NodeSource = { time: nextSlot(this.transfers, now, length) + length, kind: 'transfer' };
    const sources = new Array<NodeSource>(this.table.nodes.length).fill(byTransfer);
    if (this.keepsImages) {
      for (let node = 1; node < sources.length; node += 1)
        if (this.caches.has(node, image)) sources[node] = { time: now, kind: 'reuse' };
    }
    if (this.config.mechanism === 'multicast' && this.config.avoidRedundantTransfers) {
      for (const transfer of this.transfers) {
        if (transfer.state !== 'SCHEDULED' || transfer.image.name !== image.name || transfer.end <= now) continue;
        const piggyback: NodeSource = { time: transfer.end, kind: 'piggyback', on: transfer };
        for (let node = 1; node < sources.length; node += 1)
          if (transfer.end < (sources[node] as NodeSource).time) sources[node] = piggyback;
      }
    }
    return sources;
  }

  private length(image: DiskImage, machines: number): Millis {
    const once = this.config.forceTransferTime ?? transferTime(image.sizeMb, this.config.bandwidth);
    return this.config.mechanism === 'unicast' ? once * machines : once;
  }

  private add(lease: Lease, image: DiskImage, start: Instant, end: Instant, entries: TransferEntry[]): void {
    const { bandwidth } = this.config;
    const receiving = this.space.only({ 'Net-in': bandwidth });
    const amounts = new Map(entries.map(({ node }) => [node, receiving] as const).sort(([a], [b]) => a - b));
    amounts.set(this.repository, this.space.only({ 'Net-out': bandwidth }));
    const transfer = new TransferReservation(lease, start, end, amounts, image);
    transfer.entries = inEntryOrder(entries);
    lease.transfers.add(transfer);
    this.events.planned(transfer);
    this.enlist(transfer);
    this.table.add(transfer);
  }

  private enlist(transfer: TransferReservation): void {
    const after = this.transfers.findLastIndex(
      (each) => each.start < transfer.start || (each.start === transfer.start && each.end <= transfer.end),
    );
    this.setTransfers(this.transfers.toSpliced(after + 1, 0, transfer));
  }
}
