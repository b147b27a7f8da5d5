/** What goes out of the scheduler, and what it is restored from: plain data, as records.ts. */
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

/** What has changed since it was last asked for. Apply in this order within one transaction. */
export interface Changes {
  /** Null when nothing of it changed. */
  readonly site: SiteRecord | null;
  /** New or changed, whole, ascending id. */
  readonly leases: readonly LeaseRecord[];
  /**
   * Those of `leases` whose machines are new or were put on other nodes: ids, ascending. The machines of the others are
   * as they were.
   */
  readonly placedLeases: readonly number[];
  /** New or changed, whole, ascending id. */
  readonly reservations: readonly ReservationRecord[];
  /** Ids of the new ones among `reservations`, ascending. The nodes and amounts of the others have not changed. */
  readonly placedReservations: readonly number[];
  /** Reservations that were withdrawn before they started: ids. */
  readonly withdrawn: readonly number[];
  /**
   * Leases that the scheduler does not have and that were given up, with their events among `events`: they are FAILED,
   * and what is planned for them is deleted. Absent when there are none.
   */
  readonly discarded?: readonly number[] | undefined;
  readonly events: readonly LeaseEventRecord[];
  readonly actions: readonly ActionRecord[];
  /** Nodes that were added or changed, ascending number. Absent when none were. */
  readonly inventory?: readonly NodeRecord[] | undefined;
  /** Quotas that were set or whose use has changed, whole, ascending project. Absent when none were. */
  readonly quotas?: readonly ProjectQuotas[] | undefined;
  /** Nodes whose state, or its cause, changed, ascending number. */
  readonly nodes: readonly NodeStateRecord[];
  /** Maintenance that is new or was ended before its time, whole. */
  readonly maintenance: readonly MaintenanceRecord[];
  /** Recurrences that are new or changed, ascending id. Absent when none are. */
  readonly recurrences?: readonly RecurrenceRecord[] | undefined;
}

/** The core's whole state: only live leases, and only reservations that are scheduled or active. */
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
