import type { Vector } from './capacity.ts';
import type { Lease } from './lease.ts';
import type { DiskImage, Instant, ReservationKind, ReservationRecord, ReservationState } from './records.ts';

/** Machine number -> node number. Machine 1 is at index 1; index 0 is not used. */
export type Mapping = readonly number[];

/** Of one image that a transfer carries to a node: for which machine of which lease. */
export interface TransferEntry {
  readonly lease: Lease;
  readonly machine: number;
  readonly node: number;
}

/** A record in the slot table: a lease holds these amounts on these nodes over [start, end). */
export class Reservation {
  state: ReservationState = 'SCHEDULED';
  /** Order among reservations with an equal start (end): the slot table sets them at insertion. */
  startRank = 0;
  endRank = 0;
  /** The VM reservation in whose chain it stands. */
  vm: VmReservation | null = null;
  /** Its place there: negative before the VM, positive after it. The slot table sets it. */
  chainIndex = 0;
  /** Suspensions, resumptions: the machines that they save or restore. */
  machines: readonly number[] = [];
  /** Migrations: [machine, from, to]. */
  moves: readonly (readonly [machine: number, from: number, to: number])[] = [];

  /** Given when it is committed. */
  id = 0;

  constructor(
    readonly lease: Lease,
    readonly kind: ReservationKind,
    public start: Instant,
    public end: Instant,
    /** Node number -> what it holds there. */
    public amounts: ReadonlyMap<number, Vector>,
  ) {}

  get isNil(): boolean {
    return this.start === this.end;
  }
}

/** A reservation during which the machines of a lease run, and the operations round it. */
export class VmReservation extends Reservation {
  /** Disk migrations, memory migrations, resumptions, in this order. */
  before: Reservation[] = [];
  /** Suspensions, or one shutdown. */
  after: Reservation[] = [];
  /** Simulation: when its machines will end by themselves; null when they run to the end. */
  prematureEnd: Instant | null = null;

  constructor(
    lease: Lease,
    start: Instant,
    end: Instant,
    amounts: ReadonlyMap<number, Vector>,
    readonly mapping: Mapping,
  ) {
    super(lease, 'VM', start, end, amounts);
  }

  get chain(): Reservation[] {
    return [...this.before, this, ...this.after];
  }

  /** End of its last suspension or shutdown. */
  get finalEnd(): Instant {
    return this.after.at(-1)?.end ?? this.end;
  }

  /** Start of its first resumption: from here to the final end its machines hold their full capacity. */
  get holdStart(): Instant {
    return this.before.find((each) => each.kind === 'RESUMPTION')?.start ?? this.start;
  }

  get mustSuspend(): boolean {
    return this.after[0]?.kind === 'SUSPENSION';
  }
}

/** The copying of one image from the repository to nodes; several leases may wait for it. */
export class TransferReservation extends Reservation {
  /** Ascending by lease and machine. */
  entries: readonly TransferEntry[] = [];
  /** The entries as they were when it started. */
  startedWith: readonly TransferEntry[] | null = null;

  constructor(
    lease: Lease,
    start: Instant,
    end: Instant,
    amounts: ReadonlyMap<number, Vector>,
    readonly image: DiskImage,
  ) {
    super(lease, 'IMAGE_TRANSFER', start, end, amounts);
  }
}

/** Ascending by lease and machine. */
export const inEntryOrder = (entries: readonly TransferEntry[]): TransferEntry[] =>
  [...entries].sort((a, b) => a.lease.id - b.lease.id || a.machine - b.machine);

/** Node -> [lease, machine] pairs, ascending by lease and machine within a node. */
export const transferTargets = (
  entries: readonly TransferEntry[],
): NonNullable<ReservationRecord['targets']> => {
  const targets: Record<string, [number, number][]> = {};
  for (const { node, lease, machine } of entries) {
    targets[node] ??= [];
    targets[node].push([lease.id, machine]);
  }
  return targets;
};
