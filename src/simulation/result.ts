import type { DiskImage, LeaseState, LeaseType, ReservationKind } from '../core/index.ts';

/** Times in whole seconds from the start of the simulation. */
export type Seconds = number;

export interface ReservationResult {
  readonly kind: ReservationKind;
  readonly start: Seconds;
  readonly end: Seconds;
  /** Machine -> node. */
  readonly nodes?: Readonly<Record<string, number>>;
  /** Machine -> [from, to]. */
  readonly moves?: Readonly<Record<string, readonly [number, number]>>;
  /** Node -> [lease, machine] pairs. */
  readonly targets?: Readonly<Record<string, readonly (readonly [number, number])[]>>;
}

export interface LeaseResult {
  readonly id: number;
  readonly type: LeaseType;
  readonly state: LeaseState;
  readonly submit: Seconds;
  /** When its machines last started (not resumed); null if never. */
  readonly start: Seconds | null;
  /** When it became DONE; null otherwise. */
  readonly end: Seconds | null;
  readonly accumulated: Seconds;
  /** The requested duration in force at the end. */
  readonly requested: Seconds;
  /** ADVANCE_RESERVATION: its start; DEADLINE: the earliest one, or null. Otherwise null. */
  readonly requestedStart: Seconds | null;
  /** DEADLINE only. */
  readonly deadline: Seconds | null;
  /** Requested durations: as submitted, and with overheads. */
  readonly originalDuration: Seconds;
  readonly duration: Seconds;
  readonly machines: number;
  readonly image: DiskImage | null;
  readonly reason: string | null;
  /** The executed ones, in order of start. */
  readonly reservations: readonly ReservationResult[];
}

export type EventResult = readonly [time: Seconds, lease: number, from: LeaseState, to: LeaseState];

/** What became of a command, in the order of the file. */
export interface CommandResult {
  readonly at: Seconds;
  readonly accepted: boolean;
  /** Why it was refused; null when it was not. */
  readonly code: string | null;
  /** EXTENSION_BLOCKED: the longest requested duration that was possible. */
  readonly longest?: Seconds;
  /** Why it was refused, for people, and the line of the file. */
  readonly message?: string;
  readonly line?: number;
}

export interface MaintenanceResult {
  readonly name: string;
  readonly nodes: readonly number[];
  readonly start: Seconds;
  readonly end: Seconds;
}

/** The result of a run, in the form of `simulate --output`. */
export interface SimulationResult {
  readonly leases: readonly LeaseResult[];
  readonly events: readonly EventResult[];
  readonly summary: { readonly end: Seconds; readonly [key: string]: unknown };
  readonly commands: readonly CommandResult[];
  /** As it really was. */
  readonly maintenance: readonly MaintenanceResult[];
  /** Leases that can never end, although the run has nothing left to do; empty when `stop-when` ended the run. */
  readonly unfinished: readonly number[];
}
