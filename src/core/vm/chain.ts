import { SchedulerError } from '../errors.ts';
import type { SchedulerConfig } from '../model/config.ts';
import { type Lease, Reservation, type VmReservation } from '../model/lease.ts';
import type { Instant, Millis } from '../model/records.ts';
import type { Estimates } from './estimates.ts';
import {
  globalBackward,
  globalForward,
  localBackward,
  localForward,
  type Operation,
  type OperationPlan,
} from './operation-times.ts';

/** Builds the operations that stand before and after a VM in its chain. Touches neither slot table nor lease. */
export class ChainBuilder {
  constructor(
    private readonly config: SchedulerConfig,
    private readonly estimates: Estimates,
  ) {}

  /**
   * What comes after a VM that runs for `remaining`, on nodes that are its own until `until`: suspensions when that is
   * not enough for its whole time and its shutdown, otherwise the shutdown (R8, R52). The first of it is where the VM
   * must end.
   */
  ending(vm: VmReservation, until: Instant, remaining: Millis, shutdown: Millis): Reservation[] {
    const length = until - vm.start;
    return length - shutdown < remaining
      ? this.suspensions(vm, Math.min(until, vm.start + remaining))
      : [this.shutdown(vm, Math.min(until, vm.start + remaining + shutdown))];
  }

  /** The suspensions that are over by `by`. The first of them is where the VM must end. */
  suspensions(vm: VmReservation, by: Instant): Reservation[] {
    const plan = this.plan(vm, (memory) => this.estimates.suspendOperation(memory));
    const operations =
      this.config.suspendResumeExclusion === 'global' ? globalBackward(plan, by) : localBackward(plan, by);
    if ((operations[0] as Operation).start < vm.start) {
      throw new SchedulerError(
        'INTERNAL',
        `lease ${vm.lease.id} cannot be suspended by ${by} within its VM reservation`,
      );
    }
    return operations.map((operation) => this.reservation(vm, 'SUSPENSION', operation));
  }

  /** The resumptions that begin at `from`. The end of the last is where the VM may start. */
  resumptions(vm: VmReservation, from: Instant): Reservation[] {
    const plan = this.plan(vm, (memory) => this.estimates.resumeOperation(memory));
    const operations =
      this.config.suspendResumeExclusion === 'global' ? globalForward(plan, from) : localForward(plan, from);
    return operations.map((operation) => this.reservation(vm, 'RESUMPTION', operation));
  }

  /** The shutdown that is over by `by`. */
  shutdown(vm: VmReservation, by: Instant): Reservation {
    const machines = vm.mapping.map((_node, machine) => machine).slice(1);
    return this.reservation(vm, 'SHUTDOWN', {
      start: by - this.estimates.shutdown(vm.lease),
      end: by,
      machines,
    });
  }

  private plan(vm: VmReservation, time: (memory: number) => number): OperationPlan {
    const { lease, mapping } = vm;
    return {
      mapping,
      times: lease.memory.map((memory) => time(memory)),
      overhead: this.config.enactmentOverhead,
    };
  }

  /** Operations hold what the VM holds, on all of its nodes (R1). */
  private reservation(
    vm: VmReservation,
    kind: 'SUSPENSION' | 'RESUMPTION' | 'SHUTDOWN',
    operation: Operation,
  ): Reservation {
    const lease: Lease = vm.lease;
    const reservation = new Reservation(lease, kind, operation.start, operation.end, vm.amounts);
    reservation.vm = vm;
    reservation.machines = [...operation.machines].sort((a, b) => a - b);
    return reservation;
  }
}
