import { z } from 'zod';
import {
  type ActionRecord,
  type CachedImageRecord,
  isFinal,
  type LeaseRecord,
  type LeaseState,
  leaseTransitions,
  type NodeSpec,
  type ReservationRecord,
} from '../core/index.ts';
import type { StoredSite } from '../engine/ports.ts';
import type { Queryable } from './database.ts';
import { reasonRecord } from './rows.ts';

const finalStates = (Object.keys(leaseTransitions) as LeaseState[]).filter(isFinal);

const millis = (column: string) => `(extract(epoch FROM ${column}) * 1000)::bigint`;
const live = `state NOT IN (${finalStates.map((state) => `'${state}'`).join(', ')})`;

const siteQuery = `
  SELECT last_commit, name, resource_types, last_lease_id, last_reservation_id, last_event_sequence, last_action_id,
    last_rank, cached_images, ${millis('created_at')} AS created_at
  FROM writers LEFT JOIN sites ON true`;
const leaseQuery = `
  SELECT number, name, type, state, reason_code, reason_message, preemptible, ${millis('submitted_at')} AS submitted_at,
    ${millis('requested_start')} AS requested_start, original_duration, duration, known_duration, accumulated, image_name,
    image_size_mb, ${millis('actual_start')} AS actual_start, ${millis('planned_start')} AS planned_start,
    ${millis('ended_at')} AS ended_at, queue_rank, is_future, placement,
    (SELECT json_agg(json_build_array(index, amounts) ORDER BY index) FROM lease_machines WHERE lease_number = number) AS machines
  FROM leases WHERE ${live} ORDER BY number`;
const reservationQuery = `
  SELECT number, lease_number, kind, state, ${millis('starts_at')} AS starts_at, ${millis('ends_at')} AS ends_at, plan,
    (SELECT json_object_agg(node_number, amounts) FROM reservation_nodes WHERE reservation_number = number) AS amounts
  FROM reservations WHERE state IN ('SCHEDULED', 'ACTIVE') ORDER BY number`;
const actionQuery = `
  SELECT number, kind, lease_number, reservation_number, ${millis('at')} AS at, ${millis('deadline')} AS deadline, targets
  FROM actions WHERE state = 'PENDING' ORDER BY number`;

/** Reads everything that lives; what makes no sense is left out and told in `quarantined`. */
export async function load(database: Queryable): Promise<StoredSite | null> {
  const [site] = await database.query<SiteRow>(siteQuery);
  if (site === undefined || site.name === null) return null;
  const nodes = await database.query<NodeSpec>(
    'SELECT number, hostname, capacity FROM nodes ORDER BY number',
  );
  const check = new Check(nodes);
  const leases = check.leases(await database.query(leaseQuery));
  const reservations = check.reservations(await database.query(reservationQuery));
  return {
    name: site.name,
    spec: { resourceTypes: site.resource_types, nodes },
    createdAt: site.created_at,
    lastCommit: site.last_commit,
    pendingActions: check.actions(await database.query(actionQuery)),
    quarantined: check.quarantined,
    snapshot: {
      site: {
        lastLeaseId: site.last_lease_id,
        lastReservationId: site.last_reservation_id,
        lastEventSequence: site.last_event_sequence,
        lastActionId: site.last_action_id,
        lastRank: site.last_rank,
        cachedImages: check.cachedImages(site.cached_images),
      },
      ...check.whole(leases, reservations),
    },
  };
}

interface SiteRow {
  readonly last_commit: string | null;
  readonly name: string | null;
  readonly resource_types: readonly string[];
  readonly last_lease_id: number;
  readonly last_reservation_id: number;
  readonly last_event_sequence: number;
  readonly last_action_id: number;
  readonly last_rank: number;
  readonly cached_images: unknown;
  readonly created_at: number;
}

const instant = z.int();
const amounts = z.record(z.string(), z.union([z.number(), z.array(z.number())]));
const image = z.strictObject({ name: z.string(), sizeMb: z.number() });
const pair = z.tuple([z.int(), z.int()]);

/** Turns rows into records, and keeps those apart that cannot be trusted. */
class Check {
  readonly quarantined: string[] = [];
  readonly #nodes: ReadonlySet<number>;
  readonly #node;
  readonly #lease;
  readonly #reservation;
  readonly #action;
  readonly #cachedImage;
  readonly #doubtful = new Set<number>();

  constructor(nodes: readonly NodeSpec[]) {
    this.#nodes = new Set(nodes.map((node) => node.number));
    const node = z.int().refine((number) => this.#nodes.has(number), 'is not a node of this site');
    const byMachine = z.record(z.string().regex(/^[1-9]\d*$/), node);
    this.#node = z
      .string()
      .regex(/^\d+$/)
      .refine((number) => this.#nodes.has(Number(number)), 'is not a node of this site');
    this.#lease = z.object({
      number: z.int(),
      name: z.string().nullable(),
      duration: z.int().nonnegative(),
      placement: z.strictObject({ mapping: byMachine.nullable(), memoryAt: byMachine, diskAt: byMachine }),
      machines: z
        .array(z.tuple([z.int(), amounts]))
        .nonempty()
        .refine(
          (machines) => machines.every(([index], position) => index === position + 1),
          'do not count up from 1 without gaps',
        ),
    });
    this.#reservation = z
      .object({
        number: z.int(),
        lease_number: z.int(),
        starts_at: instant,
        ends_at: instant,
        amounts: z.record(this.#node, amounts).nullable(),
        plan: z.strictObject({
          machines: byMachine.nullable(),
          moves: z.record(z.string(), z.tuple([node, node])).nullable(),
          waiting: z.record(this.#node, z.array(pair)).nullable(),
          targets: z.record(this.#node, z.array(pair)).nullable(),
          image: image.nullable(),
          vmId: z.int().nullable(),
          chainIndex: z.int(),
          startRank: z.int(),
          endRank: z.int(),
        }),
      })
      .refine((row) => row.ends_at >= row.starts_at, 'ends before it starts');
    const target = z.strictObject({
      leaseId: z.int(),
      machine: z.int(),
      node,
      toNode: node.nullable(),
      capacity: amounts,
      image: image.nullable(),
    });
    this.#action = z.object({ number: z.int(), targets: z.array(target) });
    this.#cachedImage = z.strictObject({
      node,
      image,
      timeout: instant.nullable(),
      users: z.array(pair),
    });
  }

  leases(rows: readonly LeaseRow[]): LeaseRecord[] {
    return rows.flatMap((row) => {
      const parsed = this.#lease.safeParse(row);
      if (!parsed.success) {
        this.#doubt(row.number, `Lease ${row.number}`, parsed.error);
        return [];
      }
      const { placement, machines } = parsed.data;
      return [
        {
          id: row.number,
          name: row.name,
          type: row.type,
          state: row.state,
          reason: reasonRecord(row.reason_code, row.reason_message),
          submittedAt: row.submitted_at,
          requestedStart: row.requested_start,
          originalDuration: row.original_duration,
          duration: row.duration,
          knownDuration: row.known_duration,
          accumulated: row.accumulated,
          preemptible: row.preemptible,
          machines: machines.map(([, machine]) => machine),
          image: row.image_name === null ? null : { name: row.image_name, sizeMb: row.image_size_mb ?? 0 },
          actualStart: row.actual_start,
          plannedStart: row.planned_start,
          endedAt: row.ended_at,
          queueRank: row.queue_rank,
          isFuture: row.is_future,
          ...placement,
        },
      ];
    });
  }

  reservations(rows: readonly ReservationRow[]): ReservationRecord[] {
    return rows.flatMap((row) => {
      const parsed = this.#reservation.safeParse(row);
      if (!parsed.success) {
        this.#doubt(row.lease_number, `Reservation ${row.number} of lease ${row.lease_number}`, parsed.error);
        return [];
      }
      return [
        {
          id: row.number,
          leaseId: row.lease_number,
          kind: row.kind,
          state: row.state,
          start: row.starts_at,
          end: row.ends_at,
          amounts: parsed.data.amounts ?? {},
          ...parsed.data.plan,
        },
      ];
    });
  }

  /** A lease of which a part is missing is left out whole: half a plan is worse than none. */
  whole(leases: readonly LeaseRecord[], reservations: readonly ReservationRecord[]) {
    const kept = leases.filter((lease) => !this.#doubtful.has(lease.id));
    for (const lease of leases) {
      if (this.#doubtful.has(lease.id)) {
        this.quarantined.push(`Lease ${lease.id} is left out, since a part of it is.`);
      }
    }
    const ids = new Set(kept.map((lease) => lease.id));
    return {
      leases: kept,
      reservations: reservations.filter((reservation) => {
        // An image transfer may serve leases other than the one that it was planned for.
        const targets = Object.values(reservation.targets ?? {}).flat();
        if (ids.has(reservation.leaseId) || targets.some(([lease]) => ids.has(lease))) return true;
        this.quarantined.push(
          `Reservation ${reservation.id} is left out: its lease ${reservation.leaseId} does not live.`,
        );
        return false;
      }),
    };
  }

  actions(rows: readonly ActionRow[]): ActionRecord[] {
    return rows.flatMap((row) => {
      const parsed = this.#action.safeParse(row);
      if (!parsed.success) {
        this.#leaveOut(`Action ${row.number} of lease ${row.lease_number}`, parsed.error);
        return [];
      }
      return [
        {
          id: row.number,
          kind: row.kind,
          leaseId: row.lease_number,
          reservationId: row.reservation_number,
          at: row.at,
          deadline: row.deadline,
          targets: parsed.data.targets,
        },
      ];
    });
  }

  cachedImages(value: unknown): CachedImageRecord[] {
    if (!Array.isArray(value)) {
      this.quarantined.push('The record of cached images is left out: it is not a list.');
      return [];
    }
    return value.flatMap((entry: unknown, position) => {
      const parsed = this.#cachedImage.safeParse(entry);
      if (parsed.success) return [parsed.data];
      this.#leaveOut(`Cached image ${position + 1}`, parsed.error);
      return [];
    });
  }

  #doubt(lease: number, what: string, error: z.ZodError): void {
    this.#doubtful.add(lease);
    this.#leaveOut(what, error);
  }

  #leaveOut(what: string, error: z.ZodError): void {
    const faults = error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    this.quarantined.push(`${what} is left out: ${faults.join('; ')}.`);
  }
}

interface LeaseRow {
  readonly number: number;
  readonly name: string | null;
  readonly type: LeaseRecord['type'];
  readonly state: LeaseRecord['state'];
  readonly reason_code: string | null;
  readonly reason_message: string | null;
  readonly preemptible: boolean;
  readonly submitted_at: number;
  readonly requested_start: number | null;
  readonly original_duration: number;
  readonly duration: number;
  readonly known_duration: number | null;
  readonly accumulated: number;
  readonly image_name: string | null;
  readonly image_size_mb: number | null;
  readonly actual_start: number | null;
  readonly planned_start: number | null;
  readonly ended_at: number | null;
  readonly queue_rank: number | null;
  readonly is_future: boolean;
  readonly placement: unknown;
  readonly machines: unknown;
}

interface ReservationRow {
  readonly number: number;
  readonly lease_number: number;
  readonly kind: ReservationRecord['kind'];
  readonly state: ReservationRecord['state'];
  readonly starts_at: number;
  readonly ends_at: number;
  readonly plan: unknown;
  readonly amounts: unknown;
}

interface ActionRow {
  readonly number: number;
  readonly kind: ActionRecord['kind'];
  readonly lease_number: number;
  readonly reservation_number: number | null;
  readonly at: number;
  readonly deadline: number | null;
  readonly targets: unknown;
}
