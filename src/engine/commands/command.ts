import type { Instant } from '../../core/index.ts';
import type { AuditNote } from '../audit-note.ts';
import type { Core } from '../core.ts';
import type { Recovery } from '../hosts/recovery.ts';
import type { RecurrenceLimits } from '../recurrences/limits.ts';
import type { LeaseRemains } from '../remains.ts';
import type { TraceParent } from '../tracing.ts';

/**
 * One kind of command: a module of this folder, listed in `table.ts`. (Methods rather than function properties, so that
 * the table may hold kinds of different inputs.)
 */
export interface CommandKind<Input, Result> {
  /** Checks the shape of an input that another server forwarded. Null for one that this kind cannot have. */
  parse(input: unknown): Input | null;
  /** About how many rows it writes. */
  rows(input: Input): number;
  /** Carries it out. Throws SchedulerError or CommandError for what is refused; nothing has changed then. */
  apply(core: Core, now: Instant, input: Input, tools: CommandTools): Result;
  /** The answer as of the end of the turn, when the pass has had its time. Absent: what `apply` returned. */
  conclude?(core: Core, input: Input, result: Result): Result;
  /** How repetitions under one idempotency key are recognized and answered. Null: the kind takes no keys. */
  readonly idempotency: Idempotency<Input, Result> | null;
}

export interface Idempotency<Input, Result> {
  /** What must be equal for two inputs to count as the same, as JSON. */
  identity(input: Input): unknown;
  /** What the key leads to: the number of the lease, or of what else the command makes. */
  number(result: Result): number;
  /** The answer to a repetition. */
  repeated(number: number, input: Input): Result;
}

/** What commands may ask of the dispatcher. */
export interface HostControl {
  /** False when the action is not open. */
  recover(actionId: number, recovery: Recovery): boolean;
}

/** What commands may ask and say of leases that were left out. */
export interface QuarantineControl {
  has(leaseNumber: number): boolean;
  /** What is stored of a lease that is to be discarded; null when it has ended. */
  remainsOf(leaseNumber: number): LeaseRemains | null;
  /** The lease is given up. If that cannot be written, the site is loaded again. */
  release(leaseNumber: number): void;
}

/** What commands may use besides the core. */
export interface CommandTools {
  readonly hosts: HostControl;
  readonly quarantine: QuarantineControl;
  readonly recurrences: RecurrenceLimits;
}

/** What a caller asks for, as it waits for a turn and as servers pass it on to each other. */
export interface Command<Kind extends string = string> {
  readonly kind: Kind;
  readonly input: unknown;
  readonly principal: string;
  readonly idempotencyKey: string | null;
  /** What is recorded of it if it is accepted; absent: nothing. */
  readonly audit?: AuditNote;
  /** The trace that it belongs to, if work is traced. */
  readonly trace?: TraceParent;
}
