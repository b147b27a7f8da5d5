import { DAY, type Millis } from '../core/index.ts';
import { type DispatchLimits, defaultDispatchLimits } from './hosts/host-calls.ts';
import type { RecurrenceLimits } from './recurrences/limits.ts';

/** The engine's bounds. Milliseconds are real time, whatever the clock's speed. */
export interface EngineLimits {
  /** Commands that may wait for a turn; further ones are refused as UNAVAILABLE. */
  readonly maxCommandsWaiting: number;
  /** Commands and reports of hosts that one turn takes. */
  readonly commandsPerTurn: number;
  /** How long the core may work on a pass before the event loop runs. */
  readonly slice: Millis;
  /** Slices in one turn, when no caller waits. */
  readonly maxSlicesPerTurn: number;
  /** How long writing what a pass adds to a turn should take: it adds less when rows take longer to write. */
  readonly turnToWrite: Millis;
  /**
   * Rows from which on what is due, or what commands ask for, is left to further turns, so that no commit grows with
   * how much comes at once.
   */
  readonly rowsPerTurn: number;
  /** How long passes wait after one that changed nothing and yet was not enough. */
  readonly passInterval: Millis;
  /** The maximum delay of passes that fail again and again. */
  readonly maxPassDelay: Millis;
  /** How long callers wait for an unavailable database before they receive an error. */
  readonly patience: Millis;
  /** How much longer than that writing may take per row, where a commit is large. */
  readonly timePerRow: Millis;
  /** How often the database is tried while it is out of reach, and the writer's lock while another holds it. */
  readonly retryInterval: Millis;
  /** How long a forwarded command may take. */
  readonly forwardTimeout: Millis;
  /** How long an answer waits for the decision about a lease that starts at a fixed time. */
  readonly decisionTimeout: Millis;
  /** How often the database is checked for what a lost notice would have told. */
  readonly noticeInterval: Millis;
  /** How often hosts are asked whether what should be running is. */
  readonly inspectInterval: Millis;
  /** Failures in a row after which a host that cannot be reached is marked DOWN. */
  readonly maxHostFailures: number;
  /** Whether a lease one of whose machines cannot be started is moved to other nodes; otherwise it fails. */
  readonly moveOnStartFailure: boolean;
  /** How long nothing starts on a node after a machine could not be started there and its lease was moved. */
  readonly startFailurePause: Millis;
  /** Whether machines on hosts that belong to no lease are removed; otherwise they are only reported. */
  readonly removeStrays: boolean;
  /** How long stopping may take. */
  readonly stopTimeout: Millis;
  /** Events kept in memory for subscribers. */
  readonly eventRing: number;
  /** Events per read of the store. */
  readonly eventPage: number;
  /** Subscribers that read from the store at the same time. */
  readonly eventReaders: number;
  /** How often the clocks are compared. */
  readonly skewInterval: Millis;
  /** Difference of the clocks above which there is a warning. */
  readonly skewWarning: Millis;
  /** How often old rows are looked for. */
  readonly retentionInterval: Millis;
  /** Rows per deletion. */
  readonly retentionBatch: number;
  /** How long forwarded commands are kept: longer than any caller waits for the answer. */
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
