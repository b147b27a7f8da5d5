/**
 * The interfaces that the engine owns: what it offers to the API, and what it needs of a store and of hosts. `store`
 * and `enactment` implement the first two; nothing here knows of Prisma, HTTP or GraphQL.
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
import type { NoticeRecord } from './notices/notice.ts';
import type { StoredNotices } from './notices/notices.ts';
import type { LeaseRemains } from './remains.ts';
import type { TraceParent } from './tracing.ts';

export type { LeaseEventRecord } from '../core/index.ts';
export { encodeGlobalId } from './audit-note.ts';
export { CommandError, type CommandErrorCode } from './commands/answer.ts';
export { changesNothing } from './commands/table.ts';
export type { NoticeFacts, NoticeKind, NoticeRecord, NoticeSettings } from './notices/notice.ts';
export { noticeKinds } from './notices/notice.ts';
export type { StoredNotices } from './notices/notices.ts';
export type { LeaseRemains } from './remains.ts';
export type { Span, SpanAttributes, SpanStart, TraceParent, Tracing } from './tracing.ts';
export type { AuditNote, AuditRecord, CommandInput, CommandName, CommandResult, IdempotencyRecord };

// ---------------------------------------------------------------- what the engine offers to the API

/** The caller. Kept with idempotency keys; never a secret. */
export interface Principal {
  readonly name: string;
}

export interface CommandOptions {
  readonly principal: Principal;
  readonly idempotencyKey?: string | null;
  /** What is recorded with the commit of the command if it is accepted; absent: nothing. */
  readonly audit?: AuditNote | undefined;
  /** The trace that the command belongs to. */
  readonly trace?: TraceParent | undefined;
}

/** The engine as the API sees it: the writer itself, or a standby that forwards commands to the writer. */
export interface LeaseService {
  /**
   * Answers once what the command changed is committed. Rejects with CommandError: a SchedulerErrorCode,
   * IDEMPOTENCY_CONFLICT, UNAVAILABLE (retry later) or SHUTTING_DOWN.
   */
  submit<K extends CommandName>(
    kind: K,
    input: CommandInput<K>,
    options: CommandOptions,
  ): Promise<CommandResult<K>>;
  /**
   * Committed events in order of sequence, without gaps or repeats. With `after`, first everything since. Ends when the
   * signal aborts or the engine stops. Rejects with CommandError EVENTS_EXPIRED (names the oldest kept) for a sequence
   * number older than what is kept.
   */
  events(options: {
    readonly after?: number | null;
    readonly leaseNumber?: number | null;
    readonly signal?: AbortSignal;
  }): AsyncIterable<LeaseEventRecord>;
  /** The sequence number of the newest committed event that is known here. */
  lastEvent(): number;
  /**
   * The next committed events after a sequence number, at most `limit`. Rejects like `events`, also for numbers ahead
   * of all events.
   */
  eventsAfter(request: {
    readonly after: number;
    readonly leaseNumber?: number | null;
    readonly limit: number;
    readonly signal: AbortSignal;
  }): Promise<EventPage>;
  /** Committed notices, with a sequence of their own. */
  readonly notices: Feed<NoticeRecord>;
  /** The scheduler's present instant: the wall clock, or a faster one. */
  now(): Instant;
  status(): EngineStatus;
}

export interface Page<R> {
  readonly events: readonly R[];
  /** The page has everything up to this sequence number that was requested. */
  readonly upTo: number;
}

export type EventPage = Page<LeaseEventRecord>;

/** What is committed in a sequence, as LeaseService offers events. */
export interface Feed<R> {
  /** The newest sequence number that is known here. */
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
  /** What is wrong, in words; empty when ready. */
  readonly problems: readonly string[];
  readonly epoch: number;
  /** The last scheduling pass that was completed here: when, and how long it took. Null or absent: none. */
  readonly lastPass?: { readonly at: Instant; readonly duration: number } | null;
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
  readonly notices: StoredNotices;
  /** Rows that were left out because their shape is wrong. */
  readonly unreadable: readonly UnreadableRow[];
}

export interface UnreadableRow {
  /** The lease that is incomplete without the row; null when none is. */
  readonly leaseId: number | null;
  /** Which row, and what is wrong with it. */
  readonly message: string;
}

/** How an action goes, or what became of it. */
export interface ActionOutcome {
  readonly actionId: number;
  /** PENDING: not finished yet. */
  readonly state: 'PENDING' | 'SUCCEEDED' | 'FAILED';
  /** Why it failed; of a PENDING one, what it waits for. */
  readonly error: string | null;
  readonly attempts: number;
  /** When the first host was called; null before. */
  readonly startedAt: Instant | null;
  /** Null while it is PENDING. */
  readonly finishedAt: Instant | null;
  /** What it printed. */
  readonly output: string | null;
}

/** Everything that one turn changes; written in one transaction or not at all. */
export interface CommitBatch {
  /**
   * UUID. A batch whose id is already the newest commit's was written by an attempt that seemed to fail: it succeeds
   * without being written again.
   */
  readonly id: string;
  /** The commit that it was planned upon. When neither it nor `id` is the newest, the commit is refused as FENCED. */
  readonly previous: string | null;
  readonly changes: Changes;
  readonly idempotency: readonly IdempotencyRecord[];
  /** Of commands that were accepted. */
  readonly audit: readonly AuditRecord[];
  readonly outcomes: readonly ActionOutcome[];
  readonly notices: readonly NoticeRecord[];
  /** The new StoredNotices.givenUntil; null: unchanged. */
  readonly noticesGivenUntil: Instant | null;
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
export interface WriterTerm {
  readonly epoch: number;
  /** The newest commit's id when the lock was taken; null before the first. */
  readonly lastCommit: string | null;
  /** Aborts when the lock or its connection is lost. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/** What may be deleted when it is old, besides events. */
export type Expiring = 'idempotencyKeys' | 'actions' | 'commands' | 'leases';

export interface Store {
  /**
   * Takes the writer's lock without waiting; null when another process holds it. Raises the epoch. A lease that this
   * store took earlier ends: at most one is held at a time.
   */
  acquireWriter(): Promise<WriterTerm | null>;
  /** Null when the database holds no site yet. */
  load(): Promise<StoredSite | null>;
  /** Writes a new site; fails when there is one. */
  createSite(name: string, spec: SiteSpec, writer: WriterTerm): Promise<void>;
  /** All or nothing, fenced by the writer's epoch. Throws StoreError. */
  commit(batch: CommitBatch, writer: WriterTerm): Promise<void>;
  /** Throws StoreError: FENCED when the writer's epoch or the commit `previous` is not the newest. */
  confirm(previous: string | null, writer: WriterTerm): Promise<void>;
  /**
   * Marks these live leases as left out, so that readers see them as QUARANTINED, and no others. Does nothing when the
   * writer has been succeeded.
   */
  markQuarantined(leaseNumbers: readonly number[], writer: WriterTerm): Promise<void>;
  /** What can be read of leases that have not ended, however unsound they are. */
  remains(leaseNumbers: readonly number[]): Promise<readonly LeaseRemains[]>;
  idempotency(
    keys: readonly { readonly principal: string; readonly key: string }[],
  ): Promise<readonly IdempotencyRecord[]>;
  /** Events with sequence > after, ascending, at most `limit`. */
  events(after: number, limit: number, leaseNumber?: number | null): Promise<readonly LeaseEventRecord[]>;
  /** The oldest and the newest sequence kept; null when there is none. */
  eventRange(): Promise<{ readonly oldest: number; readonly newest: number } | null>;
  /**
   * Deletes the oldest up to the first that is not older than `before`, at most `limit` rows, and says how many. The
   * newest always stays, so that the range that is kept is known; leases' final rows stay.
   */
  deleteEventsBefore(before: Instant, limit: number): Promise<number>;
  /** Notices with sequence > after, ascending, at most `limit`. */
  notices(after: number, limit: number): Promise<readonly NoticeRecord[]>;
  /** As eventRange. */
  noticeRange(): Promise<{ readonly oldest: number; readonly newest: number } | null>;
  /** As deleteEventsBefore. */
  deleteNoticesBefore(before: Instant, limit: number): Promise<number>;
  /**
   * Deletes what has served its purpose, the oldest first, at most `limit` rows, and says how many: idempotency keys
   * and forwarded commands that were written before an instant (the database's time), actions that were finished and
   * leases that ended before one (scheduler time). Leases go with their machines and reservations, once none of their
   * events is kept; what they used stays in the sums per hour.
   */
  deleteBefore(what: Expiring, before: Instant, limit: number): Promise<number>;
  /** Passes a command on to the writer and waits for its answer. */
  forward(payload: unknown, signal: AbortSignal): Promise<unknown>;
  /** Commands waiting for the writer, oldest first. */
  forwarded(limit: number): Promise<readonly ForwardedCommand[]>;
  /**
   * Calls back when another process committed events or notices, or forwarded a command (also after a reconnection, when some may
   * have been missed).
   */
  listen(onNotice: (notice: 'events' | 'commands') => void): Promise<AsyncDisposable>;
  /** The database's clock, in milliseconds since the epoch. */
  clock(): Promise<Instant>;
  close(): Promise<void>;
}

// ---------------------------------------------------------------- what the engine needs of hosts

/** What an adapter needs to reach the host of a node. */
export interface HostNode {
  readonly number: number;
  readonly hostname: string;
  /** A name or an IP address under which the host is reached; the hostname where the site gives no other. */
  readonly address: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly capacity: ActionTarget['capacity'];
}

/** What an adapter receives about the site. */
export interface HostSite {
  readonly name: string;
  /** The nodes as they are now: a site may gain and lose nodes while the server runs. */
  nodes(): readonly HostNode[];
}

/** What an adapter receives about a lease besides its machines. */
export interface LeaseFacts {
  readonly name: string | null;
  /** The name of the principal that it belongs to. */
  readonly owner: string | null;
}

export interface ActionCall {
  /** Identifies the action: a repeated call carries the same number. */
  readonly actionId: number;
  readonly target: ActionTarget;
  /** Absent where it is not known any more, as of a lease that had ended before the server was started. */
  readonly lease?: LeaseFacts | undefined;
  /** Aborts when the engine no longer waits for the call: the adapter stops what it can stop and rejects at once. */
  readonly signal: AbortSignal;
  /** Wall-clock instant by which it should be done; null when nothing says so. The adapter answers `pending` then. */
  readonly deadline: Instant | null;
}

/**
 * `pending`: still going; ask again with the same call. `failed`: trying again would not help. An error that is thrown
 * may pass: the engine calls again. `output`: what the action printed, for its record, at most `maxActionOutput`
 * characters.
 */
export type ActionResult = { readonly output?: string } & (
  | { readonly status: 'done' }
  | { readonly status: 'pending' }
  | { readonly status: 'failed'; readonly reason: string }
);

export const maxActionOutput = 4_096;

/** The host cannot be reached, so that nothing is known of the machines on it. The call may be repeated. */
export class HostUnreachable extends Error {
  override readonly name = 'HostUnreachable';
}

/**
 * `absent`: the host holds nothing of it. `prepared`: its image is there, and it has not run. `suspended`: its memory
 * is saved. `stopped`: it ran and ended by itself; what is left of it is still there.
 */
export type MachineStatus = 'absent' | 'prepared' | 'running' | 'suspended' | 'stopped';

/** A machine where it is, or where it should be. */
export type MachinePlace = Pick<ActionTarget, 'leaseId' | 'machine' | 'node'>;

/** What a host holds. */
export interface HostedMachine extends MachinePlace {
  /** Never `absent`. */
  readonly status: MachineStatus;
}

/**
 * Drives one kind of host (docs/adapters.md). Every operation may be repeated, with the same call and with another one:
 * what finds its work done is done. Operations on different machines run at the same time and do not wait for each
 * other. An operation that cannot be carried out in the state in which the machine is answers `failed` and changes
 * nothing. No operation leaves its work half done under the name of something whole: after a crash `inspect` tells what
 * is true.
 */
export interface Adapter {
  readonly name: string;
  /** Whether what it drives outlives this process, so that after a start the hosts can be asked what is true. */
  readonly remembers: boolean;
  /** Brings the image to the node. Not every site plans it: `start` prepares what is missing. */
  prepare(call: ActionCall): Promise<ActionResult>;
  /** Starts a machine that does not exist or is prepared; one that has stopped by itself starts anew. */
  start(call: ActionCall): Promise<ActionResult>;
  /** Stops the machine in an orderly way, and removes it: of a lease that is over nothing stays on its hosts. */
  shutdown(call: ActionCall): Promise<ActionResult>;
  /** Saves the memory of a running machine and frees what it holds of the node. */
  suspend(call: ActionCall): Promise<ActionResult>;
  /** Continues a suspended machine where its memory lies. */
  resume(call: ActionCall): Promise<ActionResult>;
  /** Moves what a prepared or suspended machine has on `node` to `toNode`; nothing stays behind. */
  migrate(call: ActionCall): Promise<ActionResult>;
  /**
   * Removes the machine in whatever state it is, also half-way through another action, and what was prepared for it.
   */
  destroy(call: ActionCall): Promise<ActionResult>;
  /** Rejects with HostUnreachable when the host does not answer. */
  inspect(place: MachinePlace, signal: AbortSignal): Promise<MachineStatus>;
  /**
   * All machines of this site that a node holds, also of leases that nobody knows any more: one question in place of
   * many. Rejects with HostUnreachable when the host does not answer. Without it machines are asked about one by one.
   */
  readonly list?: ((node: number, signal: AbortSignal) => Promise<readonly HostedMachine[]>) | undefined;
  /**
   * Calls `onChange` whenever a machine may have stopped by itself, until the signal aborts; the engine inspects it
   * then. Without it, and besides it, the engine asks at an interval.
   */
  readonly watch?: ((onChange: (place: MachinePlace) => void, signal: AbortSignal) => void) | undefined;
  /** Another process may drive the hosts from now on: what is remembered of them may no longer be true. */
  forget(): void;
  close(): Promise<void>;
}
