import type { GreedyMapper } from '../mapping/greedy-mapper.ts';
import type { SchedulerConfig } from '../model/config.ts';
import type { Lease, Reservation, VmReservation } from '../model/lease.ts';
import type { StateReason } from '../model/records.ts';
import type { PreemptionPolicy } from '../policies/preemption.ts';
import type { Quotas } from '../policies/quotas.ts';
import type { Preparation, PreparationPlan } from '../preparation/preparation.ts';
import type { NodeAvailability } from '../slot-table/availability.ts';
import type { SlotTable } from '../slot-table/slot-table.ts';
import type { ChainBuilder } from './chain.ts';
import type { Estimates } from './estimates.ts';
import type { MigrationPlanner } from './migration.ts';

/** A way to run a lease, found without changing anything. The scheduler commits it or forgets it. */
export interface Plan {
  readonly lease: Lease;
  /** With its chain: migrations, resumptions, and suspensions or a shutdown. */
  readonly vm: VmReservation;
  readonly preparation: PreparationPlan;
  /** To be preempted, in this order, at the VM's start. */
  readonly victims: readonly Lease[];
  /** Whether it was placed in the future by backfilling. */
  readonly isFuture: boolean;
}

/** Why there is no plan. */
export interface NotSchedulable {
  readonly notSchedulable: StateReason;
}

/** What planning reads. */
export interface Planning {
  readonly config: SchedulerConfig;
  readonly table: SlotTable;
  readonly mapper: GreedyMapper;
  readonly estimates: Estimates;
  readonly chains: ChainBuilder;
  readonly migrations: MigrationPlanner;
  readonly preparation: Preparation;
  readonly preemption: PreemptionPolicy;
  readonly quotas: Quotas;
  readonly availability: NodeAvailability;
  /** Leases that may hold reservations, in no order. */
  planned(): Iterable<Lease>;
}

export const notSchedulable = (code: string, message: string): NotSchedulable => ({
  notSchedulable: { code, message },
});

export const isPlan = (outcome: Plan | NotSchedulable): outcome is Plan => 'vm' in outcome;

/** Puts the operations before the VM into its chain. */
export const precede = (vm: VmReservation, before: readonly Reservation[]): void => {
  for (const reservation of before) reservation.vm = vm;
  vm.before = [...before];
};
