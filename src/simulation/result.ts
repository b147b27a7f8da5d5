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
  /** When its machines were last started (not resumed); null if never. */
  readonly start: Seconds | null;
  /** When it became DONE; null otherwise. */
  readonly end: Seconds | null;
  readonly accumulated: Seconds;
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

/** The result of a run, in the form of `simulate --output`. */
export interface SimulationResult {
  readonly leases: readonly LeaseResult[];
  readonly events: readonly EventResult[];
  readonly summary: { readonly end: Seconds; readonly [key: string]: unknown };
  /** Leases that can never end, although the run has nothing left to do; empty when `stop-when` ended the run. */
  readonly unfinished: readonly number[];
}
