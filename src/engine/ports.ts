/**
 * The interfaces that the engine owns: what it needs of a store and of hosts, and what it offers to the API. `store` and
 * `enactment` implement the first two; nothing here knows of Prisma, HTTP or GraphQL.
 */
import type {
  ActionRecord,
  ActionTarget,
  Changes,
  Instant,
  LeaseEventRecord,
  LeaseRequest,
  SiteSpec,
  Snapshot,
} from '../core/index.ts';

// ---------------------------------------------------------------- what the engine offers to the API

/** Who asks. Kept with idempotency keys; never a secret. */
export interface Principal {
  readonly name: string;
}

export interface RequestOptions {
  readonly principal: Principal;
  readonly idempotencyKey?: string | null;
}

/** The engine as the API sees it: the writer itself, or a standby that passes commands on to the writer. */
export interface LeaseService {
  /**
   * Answers once the lease is committed, with its number; whether it was REJECTED is in its state.
   * Rejects with CommandError: a SchedulerErrorCode, IDEMPOTENCY_CONFLICT, UNAVAILABLE (retry later) or SHUTTING_DOWN.
   */
  requestLease(request: LeaseRequest, options: RequestOptions): Promise<{ readonly leaseNumber: number }>;
  cancelLease(leaseNumber: number, options: { readonly principal: Principal }): Promise<void>;
  /**
   * Committed events in order of sequence, without gaps or repeats. With `after`, first everything since. Ends when the signal
   * aborts or the engine stops. Rejects with CommandError EVENTS_EXPIRED (names the oldest kept) for a sequence number older than what is kept.
   */
  events(options: {
    readonly after?: number | null;
    readonly leaseNumber?: number | null;
    readonly signal?: AbortSignal;
  }): AsyncIterable<LeaseEventRecord>;
  /** The scheduler's present instant: the wall clock, or a faster one. */
  now(): Instant;
  status(): EngineStatus;
}

export interface EngineStatus {
  readonly role: 'writer' | 'standby' | 'starting' | 'stopped';
  /** What is wrong, in words; empty when ready. */
  readonly problems: readonly string[];
  readonly epoch: number;
}

export type CommandErrorCode =
  | import('../core/index.ts').SchedulerErrorCode
  | 'IDEMPOTENCY_CONFLICT'
  | 'EVENTS_EXPIRED'
  /** The database is out of reach or another writer has taken over. Nothing is known to have happened; the same call may be tried again. */
  | 'UNAVAILABLE'
  | 'SHUTTING_DOWN';

/** A command that was refused. It changed nothing, as far as is known (UNAVAILABLE, SHUTTING_DOWN). */
export class CommandError extends Error {
  override readonly name = 'CommandError';

  constructor(
    readonly code: CommandErrorCode,
    message: string,
    readonly path: readonly string[] = [],
    readonly retryable = false,
  ) {
    super(message);
  }
}

// ---------------------------------------------------------------- what the engine needs of a store

export interface StoredSite {
  readonly spec: SiteSpec;
  readonly name: string;
  /** When the site was first written, by the database's clock: where an accelerated clock counts from. */
  readonly createdAt: Instant;
  readonly snapshot: Snapshot;
  /** The newest commit's id, as of the snapshot; null before the first. */
  readonly lastCommit: string | null;
  /** Recorded, but not known to be carried out; ascending id. */
  readonly pendingActions: readonly ActionRecord[];
  /** Rows that made no sense and were left out, each in words. */
  readonly quarantined: readonly string[];
}

export interface IdempotencyRecord {
  readonly principal: string;
  readonly key: string;
  readonly inputHash: string;
  readonly leaseNumber: number;
}

export interface ActionOutcome {
  readonly actionId: number;
  readonly state: 'SUCCEEDED' | 'FAILED';
  readonly error: string | null;
  readonly attempts: number;
  readonly finishedAt: Instant;
}

/** Everything that one turn changes; written in one transaction or not at all. */
export interface CommitBatch {
  /** UUID. A batch whose id is already the newest commit's was written by an attempt that seemed to fail: it succeeds without being written again. */
  readonly id: string;
  /** The commit that it was planned upon. When neither it nor `id` is the newest, the commit is refused as FENCED. */
  readonly previous: string | null;
  readonly changes: Changes;
  readonly idempotency: readonly IdempotencyRecord[];
  readonly outcomes: readonly ActionOutcome[];
  /** Answers to commands that came through the database. */
  readonly answers: readonly { readonly commandId: string; readonly answer: unknown }[];
}

export interface ForwardedCommand {
  readonly id: string;
  readonly payload: unknown;
}

export type StoreErrorKind =
  /** The database is out of reach or busy; the same call may succeed later. */
  | 'TRANSIENT'
  /** Another writer has a newer epoch: this one must stop writing at once. */
  | 'FENCED'
  /** It will not work by trying again. */
  | 'PERMANENT';

export class StoreError extends Error {
  override readonly name = 'StoreError';

  constructor(
    readonly kind: StoreErrorKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The right to write, held on its own connection. */
export interface WriterLease {
  readonly epoch: number;
  /** The newest commit's id when the lock was taken; null before the first. */
  readonly lastCommit: string | null;
  /** Aborts when the lock or its connection is lost. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/** What may be deleted when it is old, besides events. */
export type Expiring = 'idempotencyKeys' | 'actions' | 'commands';

export interface Store {
  /**
   * Takes the writer's lock without waiting; null when another process holds it. Raises the epoch. A lease that this store took
   * earlier ends: at most one is held at a time.
   */
  acquireWriter(): Promise<WriterLease | null>;
  /** Null when the database holds no site yet. */
  load(): Promise<StoredSite | null>;
  /** Writes a new site; fails when there is one. */
  createSite(name: string, spec: SiteSpec, writer: WriterLease): Promise<void>;
  /** All or nothing, fenced by the writer's epoch. Throws StoreError. */
  commit(batch: CommitBatch, writer: WriterLease): Promise<void>;
  /** Throws StoreError: FENCED when the writer's epoch or the commit `previous` is not the newest. */
  confirm(previous: string | null, writer: WriterLease): Promise<void>;
  idempotency(
    keys: readonly { readonly principal: string; readonly key: string }[],
  ): Promise<readonly IdempotencyRecord[]>;
  /** Events with sequence > after, ascending, at most `limit`. */
  events(after: number, limit: number, leaseNumber?: number | null): Promise<readonly LeaseEventRecord[]>;
  /** The oldest and the newest sequence kept; null when there is none. */
  eventRange(): Promise<{ readonly oldest: number; readonly newest: number } | null>;
  /**
   * Deletes the oldest up to the first that is not older than `before`, at most `limit` rows, and says how many. The newest always
   * stays, so that the range that is kept is known; leases' final rows stay.
   */
  deleteEventsBefore(before: Instant, limit: number): Promise<number>;
  /**
   * Deletes what has served its purpose, the oldest first, at most `limit` rows, and says how many: idempotency keys and forwarded
   * commands that were written before an instant (the database's time), actions that were finished before one (scheduler time).
   */
  deleteBefore(what: Expiring, before: Instant, limit: number): Promise<number>;
  /** Passes a command on to the writer and waits for its answer. */
  forward(payload: unknown, signal: AbortSignal): Promise<unknown>;
  /** Commands waiting for the writer, oldest first. */
  forwarded(limit: number): Promise<readonly ForwardedCommand[]>;
  /** Calls back when another process committed events or forwarded a command (also after a reconnection, when some may have been missed). */
  listen(onNotice: (notice: 'events' | 'commands') => void): Promise<AsyncDisposable>;
  /** The database's clock, in milliseconds since the epoch. */
  clock(): Promise<Instant>;
  close(): Promise<void>;
}

// ---------------------------------------------------------------- what the engine needs of hosts

export interface ActionCall {
  readonly actionId: number;
  readonly target: ActionTarget;
  readonly signal: AbortSignal;
  /** Wall-clock instant by which it should be done; null when nothing says so. */
  readonly deadline: Instant | null;
}

/** `pending`: still going; ask again with the same call. */
export type ActionResult =
  | { readonly status: 'done' }
  | { readonly status: 'pending' }
  | { readonly status: 'failed'; readonly reason: string };

/** `stopped`: by itself. */
export type MachineStatus = 'absent' | 'prepared' | 'running' | 'suspended' | 'stopped';

/** Drives one kind of host. Every call is safe to repeat. */
export interface Adapter {
  readonly name: string;
  /** Whether what it drives outlives this process, so that after a start the hosts can be asked what is true. */
  readonly remembers: boolean;
  prepare(call: ActionCall): Promise<ActionResult>;
  start(call: ActionCall): Promise<ActionResult>;
  /** Stops the machine in an orderly way, and removes it: of a lease that is over nothing stays on its hosts. */
  shutdown(call: ActionCall): Promise<ActionResult>;
  suspend(call: ActionCall): Promise<ActionResult>;
  resume(call: ActionCall): Promise<ActionResult>;
  migrate(call: ActionCall): Promise<ActionResult>;
  /** Removes the machine in whatever state it is, also half-way through another action, and what was prepared for it. */
  destroy(call: ActionCall): Promise<ActionResult>;
  inspect(
    target: Pick<ActionTarget, 'leaseId' | 'machine' | 'node'>,
    signal: AbortSignal,
  ): Promise<MachineStatus>;
  /** Another process may drive the hosts from now on: what is remembered of them may no longer be true. */
  forget(): void;
  close(): Promise<void>;
}
