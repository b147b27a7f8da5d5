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

/** What a lease is requested with. What can be updated may be changed later. */
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

/** What the machines of a lease ask for. */
export interface Demand {
  /** What each machine needs; machine 1 at index 1, index 0 is not used. */
  readonly needs: readonly Need[];
  /** MB a machine, as `needs`. */
  readonly memory: readonly number[];
  /** The machines in the order in which they are mapped. */
  readonly mappingOrder: readonly number[];
  /** All machines together, by resource type. */
  readonly totals: readonly number[];
  /** Whether all machines ask for the same single-instance amounts, so that only their number matters. */
  readonly uniform: boolean;
}

/** A lease inside the core. Its state changes only through `become`, which keeps to the transition table. */
export class Lease implements Demand {
  readonly id: number;
  name: string | null;
  readonly type: LeaseType;
  readonly submittedAt: Instant;
  /** ADVANCE_RESERVATION: its start; DEADLINE: the earliest one, if it has one. */
  requestedStart: Instant | null;
  duration: Millis;
  /** DEADLINE: by when it must be over. */
  deadline: Instant | null;
  /** How long before its end a notice is given; null: as the site does. */
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
  /** Runs that were lost, and the running time that was lost with them. */
  restarts = 0;
  lostDuration: Millis = 0;
  actualStart: Instant | null = null;
  endedAt: Instant | null = null;
  queueRank: number | null = null;
  /** Whether backfilling gave it a reservation in the future that has not started (it counts against the limit). */
  isFuture = false;
  /** Its VM reservation that is planned or running, with its chain. */
  vm: VmReservation | null = null;
  /** DEADLINE: what follows after `vm` ends in a suspension, in order of start. */
  later: readonly VmReservation[] = [];
  /** ADVANCE_RESERVATION, DEADLINE: it was promised, and has lost its place. It waits for another. */
  isWithoutPlace = false;
  /** How often it was preempted. */
  preemptions = 0;
  /** Where its machines run, or ran when they were last suspended. */
  mapping: Mapping | null = null;
  /** Machine -> node on which its saved memory lies. */
  readonly memoryAt = new Map<number, number>();
  /** Machine -> node on which its disk image lies. */
  readonly diskAt = new Map<number, number>();
  /** Pending and running transfers in which it has entries. */
  readonly transfers = new Set<TransferReservation>();
  /** When it was last looked for an earlier place than its plan's (slot-table/freed-space.ts); -1: unknown. */
  freedSeal = -1;
  /** Whether no better start was possible then, its present place being taken as free. */
  hadNoBetterStart = false;
  /** As policies see it. */
  readonly view = new LeaseView(this);
  /** What its operations will take; worked out once (vm/estimates.ts). */
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

  /** All its VM reservations that are planned or running, in order of start. */
  get vms(): readonly VmReservation[] {
    return this.vm ? [this.vm, ...this.later] : this.later;
  }

  /** Everything that it has in the slot table but transfers, and what of its running chain is over. */
  get reservations(): Reservation[] {
    return this.vms.flatMap(({ chain }) => chain);
  }

  /** How to set all that changes in its life back to what it is now. */
  memento(): () => void {
    const fields = { ...this };
    const memoryAt = [...this.memoryAt];
    const diskAt = [...this.diskAt];
    const transfers = [...this.transfers];
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

  /** When its machines, which run now, stop for good; null when none run, or they are to go on later. */
  get endsAt(): Instant | null {
    const { later, vm } = this;
    if (vm?.state !== 'ACTIVE' || vm.mustSuspend || vm.isCutShort || later.length > 0) return null;
    return vm.end;
  }

  get isFinal(): boolean {
    return isFinal(this.state);
  }

  /**
   * Whether one of the operations before its VMs is running: it can then be neither preempted nor planned anew (R53).
   */
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
  /** The VM reservation whose chain contains it. */
  vm: VmReservation | null = null;
  /** Its place there: negative before the VM, positive after it. The slot table sets it. */
  chainIndex = 0;
  /** Suspensions: the number of the lease for which it was preempted; null when it was planned so. */
  preemptor: number | null = null;
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
  /** Running time that is planned for the same lease before it, in VM reservations that are not over yet. */
  plannedBefore: Millis = 0;
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

  /** It just stops at its end: what is left of its lease then is to be planned anew. */
  get isCutShort(): boolean {
    return this.after.length === 0;
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
export function inEntryOrder(entries: readonly TransferEntry[]): TransferEntry[] {
  return [...entries].sort((a, b) => a.lease.id - b.lease.id || a.machine - b.machine);
}

/** Node -> [lease, machine] pairs, ascending by lease and machine within a node. */
export function transferTargets(
  entries: readonly TransferEntry[],
): NonNullable<ReservationRecord['targets']> {
  const targets: Record<string, [number, number][]> = {};
  for (const { node, lease, machine } of entries) {
    targets[node] ??= [];
    targets[node].push([lease.id, machine]);
  }
  return targets;
}
