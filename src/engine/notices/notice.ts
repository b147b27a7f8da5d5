/** What people and other systems are told of. Notices are numbered, committed and kept like events. */
import type { Instant, Millis, StateReason } from '../../core/index.ts';

export const noticeKinds = [
  'LEASE_ENDS_SOON',
  'LEASE_PREEMPTED',
  'LEASE_DISPLACED',
  'LEASE_MOVED',
  'LEASE_LATE',
  'LEASE_FAILED',
  'NODE_DOWN',
  'NODE_UP',
  'MAINTENANCE_SOON',
] as const;
export type NoticeKind = (typeof noticeKinds)[number];

/** The facts of a notice. Which of them it has depends on its kind. */
export interface NoticeFacts {
  /** LEASE_MOVED, LEASE_LATE: when it starts, or started; MAINTENANCE_SOON: when it begins. */
  readonly start?: Instant;
  /** LEASE_MOVED, LEASE_LATE: when it was planned to start before. */
  readonly previousStart?: Instant;
  /** LEASE_ENDS_SOON: when its machines stop; MAINTENANCE_SOON: when it is over. */
  readonly end?: Instant;
  /** MAINTENANCE_SOON: the numbers of its nodes, ascending. */
  readonly nodes?: readonly number[];
}

export interface NoticeRecord {
  /** Counts up from 1 over the whole site, without gaps. */
  readonly sequence: number;
  readonly at: Instant;
  readonly kind: NoticeKind;
  /** Null for notices of nodes and maintenance. */
  readonly leaseId: number | null;
  /** The number of the lease's project. */
  readonly project: number | null;
  readonly node: number | null;
  /** The name of the maintenance. */
  readonly maintenance: string | null;
  /** A sentence for people. */
  readonly message: string;
  /** Why, where the scheduler says so. */
  readonly reason: StateReason | null;
  readonly facts: NoticeFacts;
}

/** A notice that has no number yet. */
export type NewNotice = Omit<NoticeRecord, 'sequence' | 'at'>;

export interface NoticeSettings {
  /** How long before the end of a lease a notice is given, where the lease does not say it; null: never. */
  readonly endNotice: Millis | null;
  /** How long before the start of maintenance a notice is given; null: never. */
  readonly maintenanceNotice: Millis | null;
}

export const noNotices: NoticeSettings = { endNotice: null, maintenanceNotice: null };

/** What most notices have not. */
export const noNotice = {
  leaseId: null,
  project: null,
  node: null,
  maintenance: null,
  reason: null,
  facts: {},
} as const;
