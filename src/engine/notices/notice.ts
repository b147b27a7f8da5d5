/** Notices for people and other systems. They are numbered, committed and stored like events. */
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

/** Facts of a notice; which are present depends on its kind. */
export interface NoticeFacts {
  /** LEASE_MOVED, LEASE_LATE: actual or planned start. MAINTENANCE_SOON: start of the maintenance. */
  readonly start?: Instant;
  /** LEASE_MOVED, LEASE_LATE: previously planned start. */
  readonly previousStart?: Instant;
  /** LEASE_ENDS_SOON: when its machines stop. MAINTENANCE_SOON: end of the maintenance. */
  readonly end?: Instant;
  /** MAINTENANCE_SOON: node numbers, ascending. */
  readonly nodes?: readonly number[];
}

export interface NoticeRecord {
  /** Increases from 1 across the site, without gaps. */
  readonly sequence: number;
  readonly at: Instant;
  readonly kind: NoticeKind;
  /** Null for notices about nodes and maintenance. */
  readonly leaseId: number | null;
  /** Project number of the lease. */
  readonly project: number | null;
  readonly node: number | null;
  /** Name of the maintenance. */
  readonly maintenance: string | null;
  /** Message text. */
  readonly message: string;
  /** Reason, if the scheduler gives one. */
  readonly reason: StateReason | null;
  readonly facts: NoticeFacts;
}

/** A notice without a number. */
export type NewNotice = Omit<NoticeRecord, 'sequence' | 'at'>;

export interface NoticeSettings {
  /** Default time before the end of a lease at which a notice is given; null means never. */
  readonly endNotice: Millis | null;
  /** Time before the start of maintenance at which a notice is given; null means never. */
  readonly maintenanceNotice: Millis | null;
}

export const noNotices: NoticeSettings = { endNotice: null, maintenanceNotice: null };

/** Defaults for fields that most notices do not have. */
export const noNotice = {
  leaseId: null,
  project: null,
  node: null,
  maintenance: null,
  reason: null,
  facts: {},
} as const;
