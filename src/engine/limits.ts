import type { Millis } from '../core/index.ts';
import { type DispatchLimits, defaultDispatchLimits } from './host-calls.ts';

/** The engine's bounds. Milliseconds are real time, whatever the clock's speed. */
export interface EngineLimits {
  /** Commands that may wait for a turn; more are refused as UNAVAILABLE. */
  readonly commandsWaiting: number;
  /** Commands, and reports about actions, that one turn takes. */
  readonly commandsPerTurn: number;
  /** How long the core may work on a pass before others have their turn. */
  readonly slice: Millis;
  /** The most slices in one turn, when nobody waits. */
  readonly slicesPerTurn: number;
  /** How long writing what a pass adds to a turn should take: it adds less when rows take longer to write. */
  readonly turnToWrite: Millis;
  /**
   * Rows from which on what is due, or what commands ask for, is left to further turns, so that no commit grows with how much
   * comes at once.
   */
  readonly rowsPerTurn: number;
  /** How long passes wait after one that changed nothing and yet was not enough. */
  readonly passInterval: Millis;
  /** The longest that passes wait after failing again and again. */
  readonly longestPassDelay: Millis;
  /** How long a database that is out of reach is waited for before callers are told. */
  readonly patience: Millis;
  /** How much longer than that writing may take for each row, where a commit is large. */
  readonly longestRow: Millis;
  /** How often the database is tried while it is out of reach, and the writer's lock while another holds it. */
  readonly retryInterval: Millis;
  /** How long a command that was passed on to the writer may take. */
  readonly forwardTimeout: Millis;
  /** How often is looked for what a lost notice would have told. */
  readonly noticeInterval: Millis;
  /** How often hosts are asked whether what should be running is. */
  readonly inspectInterval: Millis;
  /** How long stopping may take. */
  readonly stopTimeout: Millis;
  /** Events kept in memory for subscribers. */
  readonly eventRing: number;
  /** Events read from the store at a time. */
  readonly eventPage: number;
  /** Subscribers that read from the store at the same time. */
  readonly eventReaders: number;
  /** How often the clocks are compared. */
  readonly skewInterval: Millis;
  /** From which difference of the clocks on there is a warning. */
  readonly skewWarning: Millis;
  /** How often is looked for what is old. */
  readonly retentionInterval: Millis;
  /** Rows that are deleted at a time. */
  readonly retentionBatch: number;
  /** How long commands that were passed on to the writer are kept: longer than anybody waits for their answers. */
  readonly commandRetention: Millis;
  readonly dispatch: DispatchLimits;
}

export const defaultLimits: EngineLimits = {
  commandsWaiting: 10_000,
  commandsPerTurn: 500,
  slice: 5,
  slicesPerTurn: 20,
  turnToWrite: 20,
  rowsPerTurn: 10_000,
  passInterval: 1_000,
  longestPassDelay: 30_000,
  patience: 5_000,
  longestRow: 1,
  retryInterval: 1_000,
  forwardTimeout: 15_000,
  noticeInterval: 1_000,
  inspectInterval: 10_000,
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
};
