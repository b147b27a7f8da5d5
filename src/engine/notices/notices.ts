/** Derives notices from the changes of a turn and from time. */
import type {
  Changes,
  Instant,
  LeaseEventRecord,
  LeaseRecord,
  MaintenanceRecord,
  NodeState,
  Snapshot,
} from '../../core/index.ts';
import type { Core } from '../core.ts';
import { LateOperations } from './late-operations.ts';
import { hasFailed, leaseNotice } from './lease-notices.ts';
import { type NewNotice, type NoticeRecord, type NoticeSettings, noNotice } from './notice.ts';
import { TimedNotices, type Upcoming } from './timed.ts';

/** Stored state of notices. */
export interface StoredNotices {
  /** Newest sequence number; 0 before the first notice. */
  readonly last: number;
  /** All timed notices due by this instant have been given; null when none have. */
  readonly givenUntil: Instant | null;
}

export interface TakenNotices {
  readonly notices: readonly NoticeRecord[];
  /** As in StoredNotices; null if unchanged. */
  readonly givenUntil: Instant | null;
}

/** State of the last commit, then of the current turn. A failed turn discards it together with the core. */
export class Notices {
  private readonly leases: Map<number, LeaseRecord>;
  private readonly nodes: Map<number, NodeState>;
  private readonly timed: TimedNotices;
  private readonly late: LateOperations;
  private last: number;

  constructor(
    private readonly core: Pick<Core, 'endsAt'>,
    private readonly settings: NoticeSettings,
    snapshot: Snapshot,
    { last, givenUntil }: StoredNotices,
  ) {
    this.last = last;
    this.leases = new Map(snapshot.leases.map((lease) => [lease.id, lease]));
    this.nodes = new Map((snapshot.nodes ?? []).map(({ number, state }) => [number, state]));
    this.late = new LateOperations(snapshot.reservations);
    this.timed = new TimedNotices(givenUntil ?? Number.NEGATIVE_INFINITY);
    for (const lease of snapshot.leases) this.timed.set(`lease ${lease.id}`, this.endOf(lease), true);
    for (const each of snapshot.maintenance ?? []) {
      this.timed.set(`maintenance ${each.name}`, this.startOf(each), true);
    }
  }

  /** When the next timed notice is due; null when there is none. */
  next(): Instant | null {
    return this.timed.next();
  }

  /**
   * Returns the notices of a turn, to be written in the same commit as its changes. Call once per turn. `projectOf`:
   * the project of a lease that the scheduler does not have.
   */
  take(now: Instant, changes: Changes, projectOf: (leaseId: number) => number | null): TakenNotices {
    const { given } = this.timed;
    const derived = [...this.ofNodes(changes), ...this.ofLeases(changes), ...ofDiscarded(changes, projectOf)];
    for (const each of changes.maintenance) {
      const isAhead = each.start > now && each.start < each.end;
      this.timed.set(`maintenance ${each.name}`, isAhead ? this.startOf(each) : null);
    }
    const notices = [...derived, ...this.timed.take(now)].map((notice): NoticeRecord => {
      this.last += 1;
      return { sequence: this.last, at: now, ...notice };
    });
    return { notices, givenUntil: this.timed.given > given ? this.timed.given : null };
  }

  private ofNodes({ nodes, inventory = [] }: Changes): NewNotice[] {
    const notices = nodes.flatMap(({ cause, number, state }): NewNotice[] => {
      const before = this.nodes.get(number) ?? 'UP';
      this.nodes.set(number, state);
      if (before === state || (before !== 'DOWN' && state !== 'DOWN')) return [];
      const kind = state === 'DOWN' ? 'NODE_DOWN' : 'NODE_UP';
      const what = state === 'DOWN' ? 'is down' : 'is back';
      const reason = cause?.message ? { code: cause.code, message: cause.message } : null;
      const message = `Node ${number} ${what}${reason ? `: ${reason.message}` : ''}.`;
      return [{ ...noNotice, kind, node: number, message, reason }];
    });
    for (const { number, state } of inventory) this.nodes.set(number, state);
    return notices;
  }

  private ofLeases({ leases, reservations, withdrawn, events }: Changes): NewNotice[] {
    const eventsOf = new Map<number, LeaseEventRecord[]>();
    for (const event of events) {
      const known = eventsOf.get(event.leaseId);
      if (known) known.push(event);
      else eventsOf.set(event.leaseId, [event]);
    }
    const notices: NewNotice[] = [];
    const late = this.late.follow(reservations);
    for (const lease of leases) {
      const { id } = lease;
      const before = this.leases.get(id) ?? null;
      const notice = leaseNotice(before, lease, eventsOf.get(id) ?? [], late.get(id) ?? null);
      if (notice) notices.push(notice);
      if (lease.endedAt === null) this.leases.set(lease.id, lease);
      else this.leases.delete(lease.id);
    }
    const touched = new Set(leases.map(({ id }) => id));
    for (const { leaseId } of reservations) touched.add(leaseId);
    if (withdrawn.length > 0) {
      // Later reservations of a lease with a deadline may have been withdrawn.
      for (const { id, type } of this.leases.values()) if (type === 'DEADLINE') touched.add(id);
    }
    for (const id of touched) {
      const lease = this.leases.get(id);
      this.timed.set(`lease ${id}`, lease ? this.endOf(lease) : null);
    }
    return notices;
  }

  private endOf({ id, project, actualStart, endNotice }: LeaseRecord): Upcoming | null {
    const ahead = endNotice ?? this.settings.endNotice;
    const end = ahead === null || ahead === 0 ? null : this.core.endsAt(id);
    if (ahead === null || end === null) return null;
    const message = `The machines of lease ${id} stop at ${new Date(end).toISOString()}.`;
    return {
      time: end,
      // Only while the machines run.
      due: Math.max(end - ahead, Math.min(actualStart ?? end, end)),
      notice: { ...noNotice, kind: 'LEASE_ENDS_SOON', leaseId: id, project, message, facts: { end } },
    };
  }

  private startOf({ name, nodes, start, end }: MaintenanceRecord): Upcoming | null {
    const { maintenanceNotice } = this.settings;
    if (maintenanceNotice === null) return null;
    const [number] = nodes;
    const which = nodes.length === 1 ? `node ${number}` : `nodes ${nodes.join(', ')}`;
    const message = `Maintenance of ${which} begins at ${new Date(start).toISOString()}.`;
    return {
      time: start,
      due: start - maintenanceNotice,
      notice: {
        ...noNotice,
        kind: 'MAINTENANCE_SOON',
        maintenance: name,
        message,
        facts: { start, end, nodes },
      },
    };
  }
}

/** Leases that were left out, since what is stored of them is not sound, and were given up. */
function ofDiscarded({ discarded = [], events }: Changes, projectOf: (leaseId: number) => number | null): NewNotice[] {
  return discarded.flatMap((id) => {
    const reason = events.findLast(({ leaseId }) => leaseId === id)?.reason ?? null;
    return hasFailed({ id, project: projectOf(id), reason });
  });
}
