import type { Instant } from '../../core/index.ts';
import type { AuditNote } from '../audit-note.ts';
import type { Core } from '../core.ts';
import type { HostFacts } from '../hosts/host-facts.ts';
import type { Recovery, RecoveryOutcome } from '../hosts/recovery.ts';
import type { RecurrenceLimits } from '../recurrences/limits.ts';
import type { LeaseRemains } from '../remains.ts';
import type { TraceParent } from '../tracing.ts';

/**
 * One kind of command: a module of this folder, listed in `table.ts`. (These are methods rather than function
 * properties so that the table can hold kinds with different inputs.)
 */
export interface CommandKind<Input, Result> {
  /** Parses an input that another server forwarded; null when its shape is wrong. */
  parse(input: unknown): Input | null;
  /** The approximate number of rows it writes. */
  rows(input: Input): number;
  /**
   * How many places it tries for leases at most, each of which takes up to a millisecond. Absent if it tries few.
   * Limits the commands of a turn as rows do.
   */
  readonly trials?: number;
  /** Executes the command. Throws SchedulerError or CommandError for a refusal; nothing has changed then. */
  apply(core: Core, now: Instant, input: Input, tools: CommandTools): Result;
  /** The answer at the end of the turn, after the pass. If absent, the result of `apply` is the answer. */
  conclude?(core: Core, input: Input, result: Result): Result;
  /** Recognizes and answers repeated commands with the same idempotency key. Null if the kind accepts no keys. */
  readonly idempotency: Idempotency<Input, Result> | null;
}

export interface Idempotency<Input, Result> {
  /** Whether a key is only looked up: the command creates nothing. */
  readonly isLookup?: boolean;
  /** The part of the input that must be equal in a repeated command, as JSON. */
  identity(input: Input): unknown;
  /** What the key refers to: the number of the lease or other object that the command created. */
  number(result: Result): number;
  /** The answer to a repeated command. */
  repeated(number: number, input: Input): Result;
}

/** The part of `Hosts` that commands use. */
export interface HostControl {
  recover(actionId: number, recovery: Recovery): RecoveryOutcome;
  /** Of nodes, in their order. */
  factsOf(nodes: readonly number[]): readonly HostFacts[];
}

/** Access of commands to quarantined leases. */
export interface QuarantineControl {
  has(leaseNumber: number): boolean;
  /** The stored data of a lease to discard; null when the lease has ended. */
  remainsOf(leaseNumber: number): LeaseRemains | null;
  /** Discards the lease. If the write fails, the site is loaded again. */
  release(leaseNumber: number): void;
}

/** What commands use besides the core. */
export interface CommandTools {
  readonly hosts: HostControl;
  readonly quarantine: QuarantineControl;
  readonly recurrences: RecurrenceLimits;
}

/** A command in the inbox, and as servers forward it to each other. */
export interface Command<Kind extends string = string> {
  readonly kind: Kind;
  readonly input: unknown;
  readonly principal: string;
  readonly idempotencyKey: string | null;
  /** The audit record to write if the command is accepted; absent if none. */
  readonly audit?: AuditNote;
  /** The trace context, if tracing is enabled. */
  readonly trace?: TraceParent;
}
