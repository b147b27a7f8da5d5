import { SchedulerError } from '../errors.ts';
import type { Need, Vector } from './capacity.ts';
import { isFinal, isSuspended, leaseTransitions } from './lease-states.ts';
import { LeaseView } from './lease-view.ts';
import type {
  DiskImage,
  Instant,
  LeaseRecord,
  LeaseState,
  LeaseType,
  Millis,
  ReservationKind,
  ReservationRecord,
  ReservationState,
  StateReason,
} from './records.ts';

/** The terms of a lease. The updatable ones may change later. */
export type LeaseTerms = Pick<
  LeaseRecord,
  | 'id'
  | 'name'
  | 'type'
  | 'submittedAt'
  | 'requestedStart'
  | 'originalDuration'
  | 'duration'
  | 'knownDuration'
  | 'preemptible'
  | 'machines'
  | 'image'
  | 'owner'
  | 'project'
  | 'deadline'
  | 'endNotice'
  | 'occurrenceOf'
>;

/** The demand of a lease's machines. */
export interface Demand {
  /** Need by machine; machine 1 at index 1, index 0 unused. */
  readonly needs: readonly Need[];
  /** MB per machine, indexed as `needs`. */
  readonly memory: readonly number[];
  /** The machines in mapping order. */
  readonly mappingOrder: readonly number[];
  /** All machines together, by resource type. */
  readonly totals: readonly number[];
  /** Whether all machines request equal amounts of single-instance types, so that only their number matters. */
  readonly uniform: boolean;
}

/** A lease inside the core. Its state changes only through `become`, which enforces the transition table. */
export class Lease implements Demand {
  readonly id: number;
  name: string | null;
  readonly type: LeaseType;
  readonly submittedAt: Instant;
  /** ADVANCE_RESERVATION: its start. DEADLINE: its earliest start, if any. */
  requestedStart: Instant | null;
  duration: Millis;
  /** DEADLINE: its deadline. */
  deadline: Instant | null;
  /** Lead time of the notice before its end; null means the site's default. */
  endNotice: Millis | null;
  readonly knownDuration: Millis | null;
  preemptible: boolean;
  readonly image: DiskImage | null;
  readonly needs: readonly Need[];
  readonly memory: readonly number[];
  readonly mappingOrder: readonly number[];
  readonly totals: readonly number[];
  readonly uniform: boolean;

  state: LeaseState = 'NEW';
  reason: StateReason | null = null;
  accumulated: Millis = 0;
  /** Number of lost runs and the running time lost with them. */
  restarts = 0;
  lostDuration: Millis = 0;
  actualStart: Instant | null = null;
  endedAt: Instant | null = null;
  queueRank: number | null = null;
  /** Whether it holds a future reservation from backfilling, which counts against the limit. */
  isFuture = false;
  /** Its planned or running VM reservation, with its chain. */
  vm: VmReservation | null = null;
  /** DEADLINE: what follows after `vm` ends in a suspension, in order of start. */
  later: readonly VmReservation[] = [];
  /** ADVANCE_RESERVATION, DEADLINE: whether it lost its promised place and waits for another. */
  isWithoutPlace = false;
  /** Number of preemptions. */
  preemptions = 0;
  /** The nodes on which its machines run, or ran when last suspended. */
  mapping: Mapping | null = null;
  /** Machine -> node that stores its saved memory. */
  readonly memoryAt = new Map<number, number>();
  /** Machine -> node that stores its disk image. */
  readonly diskAt = new Map<number, number>();
  /** Pending and running transfers with entries for it. */
  readonly transfers = new Set<TransferReservation>();
  /** When an earlier place was last searched for (slot-table/freed-space.ts); -1 means unknown. */
  freedSeal = -1;
  /** Whether no better start was possible then, counting its current place as free. */
  hadNoBetterStart = false;
  /** The attempt of the journal in which it was saved last (it may be saved in an outer one, too). */
  savedIn = 0;
  /** As policies see it. */
  readonly view = new LeaseView(this);
  /** Estimated durations of its operations, computed once (vm/estimates.ts). */
  operationTimes: {
    readonly suspend: Millis;
    readonly resume: Millis;
    readonly memoryMigration: Millis;
  } | null = null;

  constructor(
    readonly terms: LeaseTerms,
    { needs, memory, mappingOrder, totals, uniform }: Demand,
  ) {
    this.needs = needs;
    this.memory = memory;
    this.mappingOrder = mappingOrder;
    this.totals = totals;
    this.uniform = uniform;
    this.id = terms.id;
    this.name = terms.name;
    this.type = terms.type;
    this.submittedAt = terms.submittedAt;
    this.requestedStart = terms.requestedStart;
    this.duration = terms.duration;
    this.deadline = terms.deadline;
    this.endNotice = terms.endNotice ?? null;
    this.knownDuration = terms.knownDuration;
    this.preemptible = terms.preemptible;
    this.image = terms.image;
  }

  get machineCount(): number {
    return this.needs.length - 1;
  }

  get remaining(): Millis {
    return this.duration - this.accumulated;
  }

  get isSuspended(): boolean {
    return isSuspended(this.state);
  }

  /** All its planned and running VM reservations, in order of start. */
  get vms(): readonly VmReservation[] {
    return this.vm ? [this.vm, ...this.later] : this.later;
  }

  /** All its reservations in the slot table except transfers, and the finished part of its running chain. */
  get reservations(): Reservation[] {
    return this.vms.flatMap(({ chain }) => chain);
  }

  /** Returns a function that restores all its mutable state. */
  memento(): () => void {
    const fields = { ...this };
    // (Most leases that are planned have none of these, and thousands may be planned in one attempt.)
    const memoryAt = this.memoryAt.size > 0 ? [...this.memoryAt] : [];
    const diskAt = this.diskAt.size > 0 ? [...this.diskAt] : [];
    const transfers = this.transfers.size > 0 ? [...this.transfers] : [];
    return () => {
      Object.assign(this, fields);
      this.memoryAt.clear();
      for (const [machine, node] of memoryAt) this.memoryAt.set(machine, node);
      this.diskAt.clear();
      for (const [machine, node] of diskAt) this.diskAt.set(machine, node);
      this.transfers.clear();
      for (const transfer of transfers) this.transfers.add(transfer);
    };
  }

  /** When its running machines stop for good; null if none run or they will continue later. */
  get endsAt(): Instant | null {
    const { later, vm } = this;
    if (vm?.state !== 'ACTIVE' || vm.mustSuspend || vm.isCutShort || later.length > 0) return null;
    return vm.end;
  }

  get isFinal(): boolean {
    return isFinal(this.state);
  }

  /** Whether an operation before its VM is running: it can then be neither preempted nor replanned (R53). */
  get isBeingBroughtBack(): boolean {
    return this.vm?.before.some((each) => each.state === 'ACTIVE') ?? false;
  }

  become(state: LeaseState): void {
    if (!leaseTransitions[this.state].includes(state)) {
      throw new SchedulerError('INTERNAL', `lease ${this.id} cannot go from ${this.state} to ${state}`);
    }
    this.state = state;
  }
}

/** Machine number -> node number. Machine 1 is at index 1; index 0 is unused. */
export type Mapping = readonly number[];

/** The machine and lease for which a transfer carries an image to a node. */
export interface TransferEntry {
  readonly lease: Lease;
  readonly machine: number;
  readonly node: number;
}

/** A record in the slot table: a lease holds these amounts on these nodes over [start, end). */
export class Reservation {
  state: ReservationState = 'SCHEDULED';
  /** Order among reservations with an equal start (end); set by the slot table at insertion. */
  startRank = 0;
  endRank = 0;
  /** The VM reservation whose chain contains it. */
  vm: VmReservation | null = null;
  /** Its position in the chain: negative before the VM, positive after it. Set by the slot table. */
  chainIndex = 0;
  /** Suspensions: id of the preempting lease; null if planned without preemption. */
  preemptor: number | null = null;
  /** Suspensions and resumptions: the machines saved or restored. */
  machines: readonly number[] = [];
  /** Migrations: [machine, from, to]. */
  moves: readonly (readonly [machine: number, from: number, to: number])[] = [];

  /** Assigned at commit. */
  id = 0;

  constructor(
    readonly lease: Lease,
    readonly kind: ReservationKind,
    public start: Instant,
    public end: Instant,
    /** Node number -> held amount. */
    public amounts: ReadonlyMap<number, Vector>,
  ) {}

  get isNil(): boolean {
    return this.start === this.end;
  }
}

/** A reservation during which the machines of a lease run, and its surrounding operations. */
export class VmReservation extends Reservation {
  /** Disk migrations, memory migrations, resumptions, in this order. */
  before: Reservation[] = [];
  /** Suspensions, or one shutdown. */
  after: Reservation[] = [];
  /** Running time of the lease planned before it, in VM reservations that have not ended. */
  plannedBefore: Millis = 0;
  /** Simulation: when its machines end by themselves; null if they run to the end. */
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

  /** It stops at its end without an operation: the rest of its lease is replanned then. */
  get isCutShort(): boolean {
    return this.after.length === 0;
  }

  /** End of its last suspension or shutdown. */
  get finalEnd(): Instant {
    return this.after.at(-1)?.end ?? this.end;
  }

  /** Start of its first resumption: from then to the final end its machines hold their full capacity. */
  get holdStart(): Instant {
    return this.before.find((each) => each.kind === 'RESUMPTION')?.start ?? this.start;
  }

  get mustSuspend(): boolean {
    return this.after[0]?.kind === 'SUSPENSION';
  }
}

/** The transfer of one image from the repository to nodes; several leases may wait for it. */
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
export function inEntryOrder(entries: readonly TransferEntry[]): TransferEntry[] {
  return [...entries].sort((a, b) => a.lease.id - b.lease.id || a.machine - b.machine);
}

/** Node -> [lease, machine] pairs, ascending by lease and machine within a node. */
export function transferTargets(entries: readonly TransferEntry[]): NonNullable<ReservationRecord['targets']> {
  const targets: Record<string, [number, number][]> = {};
  for (const { node, lease, machine } of entries) {
    targets[node] ??= [];
    targets[node].push([lease.id, machine]);
  }
  return targets;
}
