import { DAY, type Millis } from '../core/index.ts';
import { type DispatchLimits, defaultDispatchLimits } from './hosts/host-calls.ts';
import type { RecurrenceLimits } from './recurrences/limits.ts';

/** Limits of the engine. Milliseconds are real time, independent of the clock's speed. */
export interface EngineLimits {
  /** Maximum number of waiting commands; further ones are refused as UNAVAILABLE. */
  readonly maxCommandsWaiting: number;
  /** Maximum number of commands and reports per turn. */
  readonly commandsPerTurn: number;
  /** Maximum time of a pass before it yields to the event loop. */
  readonly slice: Millis;
  /** Maximum number of slices per turn when no caller waits. */
  readonly maxSlicesPerTurn: number;
  /** Target time to write what a pass adds to a turn; the pass adds less when writing is slow. */
  readonly turnToWrite: Millis;
  /**
   * Number of rows after which due events and commands are left to further turns, which bounds the size of a commit.
   */
  readonly rowsPerTurn: number;
  /** Delay after a pass that changed nothing although work remains. */
  readonly passInterval: Millis;
  /** Maximum delay after repeatedly failing passes. */
  readonly maxPassDelay: Millis;
  /** How long callers wait for an unavailable database before they receive an error. */
  readonly patience: Millis;
  /** Additional time per row for large commits. */
  readonly timePerRow: Millis;
  /** Retry interval for an unreachable database, and for the writer lock while another process holds it. */
  readonly retryInterval: Millis;
  /** Timeout of a forwarded command. */
  readonly forwardTimeout: Millis;
  /** How long an answer waits for the decision on a lease with a fixed start. */
  readonly decisionTimeout: Millis;
  /** Polling interval that compensates for lost notifications. */
  readonly noticeInterval: Millis;
  /** Inspection interval of hosts. */
  readonly inspectInterval: Millis;
  /** Number of consecutive failures after which an unreachable host is marked DOWN. */
  readonly maxHostFailures: number;
  /** Whether a lease with a machine that cannot be started is moved to other nodes; otherwise it fails. */
  readonly moveOnStartFailure: boolean;
  /** How long starts on a node are suspended after a failed start whose lease was moved. */
  readonly startFailurePause: Millis;
  /** Whether stray machines are removed; otherwise they are only reported. */
  readonly removeStrays: boolean;
  /** Stop timeout. */
  readonly stopTimeout: Millis;
  /** Number of events in memory for subscribers. */
  readonly eventRing: number;
  /** Events per read of the store. */
  readonly eventPage: number;
  /** Maximum number of subscribers that read from the store at the same time. */
  readonly eventReaders: number;
  /** Interval of clock comparisons. */
  readonly skewInterval: Millis;
  /** Clock difference above which a warning is logged. */
  readonly skewWarning: Millis;
  /** Interval of deletions of expired rows. */
  readonly retentionInterval: Millis;
  /** Maximum number of rows per deletion. */
  readonly retentionBatch: number;
  /** Retention of forwarded commands; must exceed the time that any caller waits for an answer. */
  readonly commandRetention: Millis;
  readonly dispatch: DispatchLimits;
  readonly recurrences: RecurrenceLimits;
}

export const defaultLimits: EngineLimits = {
  maxCommandsWaiting: 10_000,
  commandsPerTurn: 500,
  slice: 5,
  maxSlicesPerTurn: 20,
  turnToWrite: 20,
  rowsPerTurn: 10_000,
  passInterval: 1_000,
  maxPassDelay: 30_000,
  patience: 5_000,
  timePerRow: 1,
  retryInterval: 1_000,
  forwardTimeout: 15_000,
  decisionTimeout: 10_000,
  noticeInterval: 1_000,
  inspectInterval: 10_000,
  maxHostFailures: 3,
  moveOnStartFailure: false,
  startFailurePause: 10 * 60_000,
  removeStrays: false,
  stopTimeout: 1_000,
  eventRing: 4_096,
  eventPage: 500,
  eventReaders: 4,
  skewInterval: 60_000,
  skewWarning: 1_000,
  retentionInterval: 60_000,
  retentionBatch: 500,
  commandRetention: 10 * 60_000,
  dispatch: defaultDispatchLimits,
  recurrences: { horizon: 30 * DAY, maxPerProject: 100 },
};
