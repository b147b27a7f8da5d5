/**
 * The interfaces that the engine owns: what it offers to the API, and what it requires from a store and from hosts.
 * `store` and `enactment` implement the latter; nothing here depends on Prisma, HTTP or GraphQL.
 */
import type {
  ActionRecord,
  ActionTarget,
  Changes,
  Instant,
  LeaseEventRecord,
  SiteSpec,
  Snapshot,
} from '../core/index.ts';
import type { AuditNote, AuditRecord } from './audit-note.ts';
import type { IdempotencyRecord } from './commands/idempotency.ts';
import type { CommandInput, CommandName, CommandResult } from './commands/table.ts';
import type { MachineStatus } from './hosts/host-facts.ts';
import type { LeaseFacts } from './hosts/lease-facts.ts';
import type { NoticeRecord } from './notices/notice.ts';
import type { StoredNotices } from './notices/notices.ts';
import type { LeaseRemains, UnreadableRow } from './remains.ts';
import type { TraceParent } from './tracing.ts';

export type { LeaseEventRecord } from '../core/index.ts';
export { encodeGlobalId } from './audit-note.ts';
export { CommandError, type CommandErrorCode } from './commands/answer.ts';
export { changesNothing } from './commands/table.ts';
export type { HostFacts, MachineStatus, StrayMachine, UnremovedMachine } from './hosts/host-facts.ts';
export type { LeaseFacts } from './hosts/lease-facts.ts';
export type { NoticeFacts, NoticeKind, NoticeRecord, NoticeSettings } from './notices/notice.ts';
export { noticeKinds } from './notices/notice.ts';
export type { StoredNotices } from './notices/notices.ts';
export type { LeaseRemains, UnreadableRow } from './remains.ts';
export type { Span, SpanAttributes, SpanStart, TraceParent, Tracing } from './tracing.ts';
export type { AuditNote, AuditRecord, CommandInput, CommandName, CommandResult, IdempotencyRecord };

// ---------------------------------------------------------------- what the engine offers to the API

/** The caller. Stored with idempotency keys; never a secret. */
export interface Principal {
  readonly name: string;
}

export interface CommandOptions {
  readonly principal: Principal;
  readonly idempotencyKey?: string | null;
  /** The audit record to commit with the command if it is accepted; absent if none. */
  readonly audit?: AuditNote | undefined;
  /** Trace context of the command. */
  readonly trace?: TraceParent | undefined;
}

/** The engine's interface for the API: the writer itself, or a standby that forwards commands to the writer. */
export interface LeaseService {
  /**
   * Resolves once the changes of the command are committed. Rejects with CommandError: a SchedulerErrorCode,
   * IDEMPOTENCY_CONFLICT, UNAVAILABLE (retry later) or SHUTTING_DOWN.
   */
  submit<K extends CommandName>(kind: K, input: CommandInput<K>, options: CommandOptions): Promise<CommandResult<K>>;
  /**
   * Committed events in sequence order, without gaps or repeats, starting with everything after `after` if given. Ends
   * when the signal aborts or the engine stops. Rejects with CommandError EVENTS_EXPIRED, which names the oldest stored
   * event, for a sequence number older than the stored range.
   */
  events(options: {
    readonly after?: number | null;
    readonly leaseNumber?: number | null;
    readonly signal?: AbortSignal;
  }): AsyncIterable<LeaseEventRecord>;
  /** The sequence number of the newest known committed event. */
  lastEvent(): number;
  /**
   * At most `limit` committed events after a sequence number. Rejects like `events`, and for numbers ahead of all
   * events.
   */
  eventsAfter(request: {
    readonly after: number;
    readonly leaseNumber?: number | null;
    readonly limit: number;
    readonly signal: AbortSignal;
  }): Promise<EventPage>;
  /** Committed notices, with their own sequence. */
  readonly notices: Feed<NoticeRecord>;
  /** The current instant of the scheduler: the wall clock or an accelerated clock. */
  now(): Instant;
  status(): EngineStatus;
}

export interface Page<R> {
  readonly events: readonly R[];
  /** The page contains everything requested up to this sequence number. */
  readonly upTo: number;
}

export type EventPage = Page<LeaseEventRecord>;

/** A committed sequence, as LeaseService offers events. */
export interface Feed<R> {
  /** The newest known sequence number. */
  readonly last: number;
  /** As LeaseService.events. */
  subscribe(options: {
    readonly after?: number | null;
    readonly leaseNumber?: number | null;
    readonly signal?: AbortSignal;
  }): AsyncIterable<R>;
  /** As LeaseService.eventsAfter. */
  page(
    request: { readonly after: number; readonly leaseNumber: number | null; readonly limit: number },
    signal: AbortSignal,
  ): Promise<Page<R>>;
}

export interface EngineStatus {
  readonly role: 'writer' | 'standby' | 'starting' | 'stopped';
  /** Descriptions of current problems; empty when ready. */
  readonly problems: readonly string[];
  readonly epoch: number;
  /** The number of nodes that the site has had; absent if it is not known. */
  readonly nodes?: number;
  /** Time and duration of the last scheduling pass completed by this process; null or absent if none. */
  readonly lastPass?: { readonly at: Instant; readonly duration: number } | null;
}

// ---------------------------------------------------------------- what the engine needs of a store

export interface StoredSite {
  readonly spec: SiteSpec;
  readonly name: string;
  /** When the site was first written, by the database clock; the origin of an accelerated clock. */
  readonly createdAt: Instant;
  readonly snapshot: Snapshot;
  /** The newest commit's id, as of the snapshot; null before the first. */
  readonly lastCommit: string | null;
  /** Recorded actions that are not known to be finished; ascending id. */
  readonly pendingActions: readonly ActionRecord[];
  /** Of these, actions of kind DESTROY that have failed before. */
  readonly failedRemovals: readonly number[];
  readonly notices: StoredNotices;
  /** Rows that were skipped because their shape is wrong. */
  readonly unreadable: readonly UnreadableRow[];
}

/** The progress or outcome of an action. */
export interface ActionOutcome {
  readonly actionId: number;
  /** PENDING: not finished yet. */
  readonly state: 'PENDING' | 'SUCCEEDED' | 'FAILED';
  /** Why it failed, or what a PENDING action waits for. */
  readonly error: string | null;
  readonly attempts: number;
  /** When the first host was called; null before. */
  readonly startedAt: Instant | null;
  /** Null while it is PENDING. */
  readonly finishedAt: Instant | null;
  /** Output of the action. */
  readonly output: string | null;
}

/** All changes of one turn, written in one transaction or not at all. */
export interface CommitBatch {
  /**
   * UUID. If the newest commit already has this id, an attempt that seemed to fail had succeeded: the batch is not
   * written again.
   */
  readonly id: string;
  /**
   * The commit on which the batch is based. If neither it nor `id` is the newest commit, the batch is refused as
   * FENCED.
   */
  readonly previous: string | null;
  readonly changes: Changes;
  readonly idempotency: readonly IdempotencyRecord[];
  /** Audit records of accepted commands. */
  readonly audit: readonly AuditRecord[];
  readonly outcomes: readonly ActionOutcome[];
  readonly notices: readonly NoticeRecord[];
  /** The new StoredNotices.givenUntil; null if unchanged. */
  readonly noticesGivenUntil: Instant | null;
  /** Answers to forwarded commands. */
  readonly answers: readonly { readonly commandId: string; readonly answer: unknown }[];
}

export interface ForwardedCommand {
  readonly id: string;
  readonly payload: unknown;
}

export type StoreErrorKind =
  /** The database is unreachable or busy; the same call may succeed later. */
  | 'TRANSIENT'
  /** Another writer has a newer epoch: this one must stop writing at once. */
  | 'FENCED'
  /** Retrying does not help. */
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

/** The writer lock, held on its own connection. */
export interface WriterTerm {
  readonly epoch: number;
  /** Id of the newest commit when the lock was taken; null before the first commit. */
  readonly lastCommit: string | null;
  /** Aborts when the lock or its connection is lost. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/** Kinds of rows with retention, besides events. */
export type Expiring = 'idempotencyKeys' | 'actions' | 'commands' | 'leases';

export interface Store {
  /**
   * Takes the writer lock without waiting; null when another process holds it. Increments the epoch. Ends an earlier
   * term of this store: at most one is held at a time.
   */
  acquireWriter(): Promise<WriterTerm | null>;
  /** Null when the database holds no site yet. */
  load(): Promise<StoredSite | null>;
  /** Writes a new site; fails when there is one. */
  createSite(name: string, spec: SiteSpec, writer: WriterTerm): Promise<void>;
  /** Atomic; fenced by the writer's epoch. Throws StoreError. */
  commit(batch: CommitBatch, writer: WriterTerm): Promise<void>;
  /** Throws StoreError FENCED when the writer's epoch or the commit `previous` is not the newest. */
  confirm(previous: string | null, writer: WriterTerm): Promise<void>;
  /**
   * Marks exactly these live leases as quarantined, so that readers see them as QUARANTINED. Does nothing when the
   * writer has been succeeded.
   */
  markQuarantined(leaseNumbers: readonly number[], writer: WriterTerm): Promise<void>;
  /** What hosts are told of a lease, live or ended; null when there is none with this number. */
  leaseFacts(leaseNumber: number): Promise<LeaseFacts | null>;
  /** Reads what can be read of live leases, however inconsistent they are. */
  remains(leaseNumbers: readonly number[]): Promise<readonly LeaseRemains[]>;
  idempotency(
    keys: readonly { readonly principal: string; readonly key: string }[],
  ): Promise<readonly IdempotencyRecord[]>;
  /** Events with sequence > after, ascending, at most `limit`. */
  events(after: number, limit: number, leaseNumber?: number | null): Promise<readonly LeaseEventRecord[]>;
  /** The oldest and newest stored sequence numbers; null when there are none. */
  eventRange(): Promise<{ readonly oldest: number; readonly newest: number } | null>;
  /**
   * Deletes the oldest events up to the first that is not older than `before`, at most `limit` rows, and returns the
   * number. The newest event always stays, so that the stored range is known; the rows of leases stay.
   */
  deleteEventsBefore(before: Instant, limit: number): Promise<number>;
  /** Notices with sequence > after, ascending, at most `limit`. */
  notices(after: number, limit: number): Promise<readonly NoticeRecord[]>;
  /** As eventRange. */
  noticeRange(): Promise<{ readonly oldest: number; readonly newest: number } | null>;
  /** As deleteEventsBefore. */
  deleteNoticesBefore(before: Instant, limit: number): Promise<number>;
  /**
   * Deletes expired rows, oldest first, at most `limit`, and returns the number: idempotency keys and forwarded
   * commands written before an instant (database time), and actions finished or leases ended before an instant
   * (scheduler time). Leases are deleted with their machines and reservations once none of their events is stored;
   * their usage stays in the hourly sums.
   */
  deleteBefore(what: Expiring, before: Instant, limit: number): Promise<number>;
  /** Forwards a command to the writer and waits for the answer. */
  forward(payload: unknown, signal: AbortSignal): Promise<unknown>;
  /** Commands waiting for the writer, oldest first. */
  forwarded(limit: number): Promise<readonly ForwardedCommand[]>;
  /**
   * Calls back when another process committed events or notices or forwarded a command, and after a reconnection, when
   * notifications may have been missed.
   */
  listen(onNotice: (notice: 'events' | 'commands') => void): Promise<AsyncDisposable>;
  /** The database clock, in milliseconds since the epoch. */
  clock(): Promise<Instant>;
  close(): Promise<void>;
}

// ---------------------------------------------------------------- what the engine needs of hosts

/** What an adapter needs to reach the host of a node. */
export interface HostNode {
  readonly number: number;
  readonly hostname: string;
  /** Host name or IP address of the host; defaults to the hostname of the node. */
  readonly address: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly capacity: ActionTarget['capacity'];
}

/** What an adapter receives about the site. */
export interface HostSite {
  readonly name: string;
  /** The current nodes. Nodes may be added and removed while the server runs. */
  nodes(): readonly HostNode[];
  /** Images that the plan keeps on a node for reuse. Null or absent: it plans no caches. */
  readonly cachedImages?: (node: number) => readonly string[] | null;
}

export interface ActionCall {
  /** Identifies the action; a repeated call carries the same number. */
  readonly actionId: number;
  readonly target: ActionTarget;
  /** Absent if no such lease is stored. */
  readonly lease?: LeaseFacts | undefined;
  /** Aborts when the engine no longer waits for the call. The adapter stops what it can and rejects at once. */
  readonly signal: AbortSignal;
  /** Wall-clock deadline; null if there is none. At the deadline the adapter answers `pending`. */
  readonly deadline: Instant | null;
}

/**
 * `pending`: still in progress; repeat the same call. `failed`: retrying does not help. A thrown error is considered
 * transient: the engine calls again. `output`, of a result or an error, is stored with the action, at most
 * `maxActionOutput` characters.
 */
export type ActionResult = { readonly output?: string } & (
  | { readonly status: 'done' }
  | { readonly status: 'pending' }
  | { readonly status: 'failed'; readonly reason: string }
);

export const maxActionOutput = 4_096;

/** The host is unreachable, so nothing is known about its machines. The call may be repeated. */
export class HostUnreachable extends Error {
  override readonly name = 'HostUnreachable';
}

/** A machine at its current or intended place. */
export type MachinePlace = Pick<ActionTarget, 'leaseId' | 'machine' | 'node'>;

/** A machine on a host. */
export interface HostedMachine extends MachinePlace {
  /** Never `absent`. */
  readonly status: MachineStatus;
}

/**
 * Controls one kind of host (docs/adapters.md). All operations are idempotent: an operation whose work is already done
 * succeeds. Operations on different machines run concurrently and do not wait for each other. An operation that is
 * impossible in the current state of the machine answers `failed` and changes nothing. Partial work never looks
 * complete: after a crash `inspect` reports the actual state.
 */
export interface Adapter {
  readonly name: string;
  /** Whether machines outlive this process, so that hosts can be inspected after a start. */
  readonly remembers: boolean;
  /** Transfers the image to the node. Sites need not plan it: `start` prepares what is missing. */
  prepare(call: ActionCall): Promise<ActionResult>;
  /** Starts a machine that is absent or prepared; a machine that stopped by itself is started again. */
  start(call: ActionCall): Promise<ActionResult>;
  /** Shuts the machine down and removes it: nothing of an ended lease stays on its hosts. */
  shutdown(call: ActionCall): Promise<ActionResult>;
  /** Saves the memory of a running machine and releases its capacity on the node. */
  suspend(call: ActionCall): Promise<ActionResult>;
  /** Resumes a suspended machine on the node that holds its memory. */
  resume(call: ActionCall): Promise<ActionResult>;
  /** Moves a prepared or suspended machine from `node` to `toNode`; nothing remains on `node`. */
  migrate(call: ActionCall): Promise<ActionResult>;
  /** Removes the machine in any state, also during another action, with everything prepared for it. */
  destroy(call: ActionCall): Promise<ActionResult>;
  /** Rejects with HostUnreachable when the host does not answer. */
  inspect(place: MachinePlace, signal: AbortSignal): Promise<MachineStatus>;
  /**
   * Lists all machines of this site on a node, including those of unknown leases, in one call. Rejects with
   * HostUnreachable when the host does not answer. Without this method machines are inspected one by one.
   */
  readonly list?: ((node: number, signal: AbortSignal) => Promise<readonly HostedMachine[]>) | undefined;
  /**
   * Calls `onChange` whenever a machine may have stopped by itself, until the signal aborts; the engine then inspects
   * it. The engine also inspects at an interval, with or without this method.
   */
  readonly watch?: ((onChange: (place: MachinePlace) => void, signal: AbortSignal) => void) | undefined;
  /**
   * Why the host of a node takes no new machines, according to the host manager; null if it takes them. Asked at the
   * interval at which hosts are inspected: meanwhile the node is DRAINING. Rejects with HostUnreachable when that is
   * not known.
   */
  readonly admits?: ((node: number, signal: AbortSignal) => Promise<string | null>) | undefined;
  /** What holds on one node, of an adapter that drives nodes in different ways. */
  readonly on?: ((node: number) => Pick<Adapter, 'remembers' | 'list' | 'admits'>) | undefined;
  /** Another process may control the hosts from now on: cached knowledge about them may be outdated. */
  forget(): void;
  close(): Promise<void>;
}
