import { z } from 'zod';
import type {
  ActionRecord,
  CachedImageRecord,
  LeaseRecord,
  NodeSpec,
  ReservationRecord,
} from '../core/index.ts';
import { reasonRecord } from './rows.ts';

const instant = z.int();
const amounts = z.record(z.string(), z.union([z.number(), z.array(z.number())]));
const image = z.strictObject({ name: z.string(), sizeMb: z.number() });
const pair = z.tuple([z.int(), z.int()]);

/** Turns rows into records, and keeps those apart that cannot be trusted. */
export class RowCheck {
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
        plan: z.looseObject({
          // Only of transfers, of which a part is no node of the site.
          amounts: z.record(z.string(), amounts).optional(),
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
    const target = z.looseObject({
      leaseId: z.int(),
      machine: z.int(),
      node,
      toNode: node.nullable(),
      capacity: amounts,
      image: image.nullable(),
    });
    this.#action = z.object({ number: z.int(), targets: z.array(target) });
    this.#cachedImage = z.looseObject({
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
      const { amounts: everywhere, ...plan } = parsed.data.plan;
      return [
        {
          id: row.number,
          leaseId: row.lease_number,
          kind: row.kind,
          state: row.state,
          start: row.starts_at,
          end: row.ends_at,
          amounts: everywhere ?? parsed.data.amounts ?? {},
          ...plan,
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

export interface LeaseRow {
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

export interface ReservationRow {
  readonly number: number;
  readonly lease_number: number;
  readonly kind: ReservationRecord['kind'];
  readonly state: ReservationRecord['state'];
  readonly starts_at: number;
  readonly ends_at: number;
  readonly plan: unknown;
  readonly amounts: unknown;
}

export interface ActionRow {
  readonly number: number;
  readonly kind: ActionRecord['kind'];
  readonly lease_number: number;
  readonly reservation_number: number | null;
  readonly at: number;
  readonly deadline: number | null;
  readonly targets: unknown;
}
