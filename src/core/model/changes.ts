/** The output of the scheduler and the data it is restored from: plain data, as in records.ts. */
import type { ProjectQuotas } from './quotas.ts';
import type {
  ActionRecord,
  LeaseEventRecord,
  LeaseRecord,
  MaintenanceRecord,
  NodeRecord,
  NodeStateRecord,
  ReservationRecord,
  SiteRecord,
} from './records.ts';
import type { RecurrenceRecord } from './recurrence-records.ts';

/** Changes since the last call. Apply in this order within one transaction. */
export interface Changes {
  /** Null if unchanged. */
  readonly site: SiteRecord | null;
  /** New and changed ones, complete, ascending id. */
  readonly leases: readonly LeaseRecord[];
  /**
   * Ids of those in `leases` whose machines are new or were assigned to other nodes, ascending. The machines of the
   * others are unchanged.
   */
  readonly placedLeases: readonly number[];
  /** New and changed ones, complete, ascending id. */
  readonly reservations: readonly ReservationRecord[];
  /** Ids of the new ones in `reservations`, ascending. The nodes and amounts of the others are unchanged. */
  readonly placedReservations: readonly number[];
  /** Reservations that were withdrawn before they started: ids. */
  readonly withdrawn: readonly number[];
  /**
   * Discarded leases that the scheduler does not hold, with their events among `events`: they become FAILED and their
   * plans are deleted. Absent when there are none.
   */
  readonly discarded?: readonly number[] | undefined;
  readonly events: readonly LeaseEventRecord[];
  readonly actions: readonly ActionRecord[];
  /** Added and changed nodes, ascending number. Absent when there are none. */
  readonly inventory?: readonly NodeRecord[] | undefined;
  /** Quotas that were set or whose usage changed, complete, ascending project. Absent when there are none. */
  readonly quotas?: readonly ProjectQuotas[] | undefined;
  /** Nodes whose state or its cause changed, ascending number. */
  readonly nodes: readonly NodeStateRecord[];
  /** Maintenance that is new or was ended early, complete. */
  readonly maintenance: readonly MaintenanceRecord[];
  /** New and changed recurrences, ascending id. Absent when there are none. */
  readonly recurrences?: readonly RecurrenceRecord[] | undefined;
}

/** The complete state of the core: live leases and scheduled or active reservations. */
export interface Snapshot {
  readonly site: SiteRecord;
  readonly leases: readonly LeaseRecord[];
  readonly reservations: readonly ReservationRecord[];
  /** Nodes that are not UP, or whose state has a cause, ascending number. Absent when there are none. */
  readonly nodes?: readonly NodeStateRecord[];
  /** Maintenance that has not ended, in order of start, then name. Absent when there is none. */
  readonly maintenance?: readonly MaintenanceRecord[];
  /** Ascending project. Absent when no project has quotas. */
  readonly quotas?: readonly ProjectQuotas[];
  /** Recurrences that are not over, ascending id. Absent when there are none. */
  readonly recurrences?: readonly RecurrenceRecord[];
}
