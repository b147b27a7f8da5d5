import { operationEnd } from './lifecycle/late-operations.ts';
import type { Instant, LeaseRecord, NodeStateRecord, SiteSpec } from './model/records.ts';
import { leaseRecord } from './snapshot.ts';
import type { SchedulerState } from './state.ts';
import { totalCapacity, type Utilization, utilizationAt } from './utilization.ts';

/** What can be read of a scheduler. */
export abstract class SchedulerView {
  protected constructor(protected readonly state: SchedulerState) {}

  /** The site as it is now. */
  get site(): SiteSpec {
    return this.state.site;
  }

  /** The state of a node, with its cause. */
  nodeState(node: number): NodeStateRecord {
    return this.state.availability.recordOf(node);
  }

  /** A live lease; null when it has ended or never was. */
  lease(id: number): LeaseRecord | null {
    const lease = this.state.leases.get(id);
    return lease ? leaseRecord(lease) : null;
  }

  get liveLeases(): number {
    return this.state.leases.size;
  }

  get queueLength(): number {
    return this.state.queue.size;
  }

  /** Reservations that are planned or running. */
  get reservationCount(): number {
    return this.state.table.size;
  }

  get nodeCount(): number {
    return this.state.table.nodeCount;
  }

  /** Of the whole site. Throws INVALID_REQUEST for a type that it does not have. */
  totalCapacity(type: string): number {
    return totalCapacity(this.state, type);
  }

  /** Shares of the site's CPU at an instant, 0 to 1. */
  utilization(at: Instant): Utilization {
    return utilizationAt(this.state, at);
  }

  /** Whether live leases of one type exist (simulation: stop conditions). */
  hasLive(type: LeaseRecord['type']): boolean {
    for (const lease of this.state.leases.values()) if (lease.type === type) return true;
    return false;
  }

  /** The VM of a lease that runs now, and from when to when; null when none runs. */
  running(leaseId: number): { readonly id: number; readonly start: Instant; readonly end: Instant } | null {
    const vm = this.state.leases.get(leaseId)?.vm;
    return vm?.state === 'ACTIVE' ? { id: vm.id, start: vm.start, end: vm.end } : null;
  }

  /** When the machines of a lease that run now stop for good; null when none run, or they are to go on later. */
  endsAt(leaseId: number): Instant | null {
    return this.state.leases.get(leaseId)?.endsAt ?? null;
  }

  /** When an operation, or an image transfer, that is going on is to end; null when it is not going on. */
  operationEnd(leaseId: number, reservationId: number): Instant | null {
    return operationEnd(this.state, { leaseId, reservationId });
  }

  /** Whether machines are held that hosts have not removed. */
  get hasRemaining(): boolean {
    return !this.state.availability.remaining.isEmpty;
  }
}
