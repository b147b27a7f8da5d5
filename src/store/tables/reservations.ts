/** The tables of reservations and of their amounts on nodes. */
import * as z from 'zod';
import type { Amounts, Instant, ReservationRecord } from '../../core/index.ts';
import { ReservationKind, ReservationState } from '../prisma/enums.ts';
import { bigint, type Field, instant, int, json, member, oneOf, Table } from '../table.ts';
import { amounts, byMachine, byNode, image, pair, positive } from './shapes.ts';

/** A transfer also uses the bandwidth of the image repository, which is not a node. */
export function isTransfer({ kind }: Pick<ReservationRecord, 'kind'>): boolean {
  return kind === 'IMAGE_TRANSFER';
}

/** Amounts are rows of `reservation_nodes`; those of a transfer are also stored in the plan. */
const amountsOfReservation: Field<ReservationRecord['amounts'], ReservationRecord> = {
  columns: [
    {
      name: 'amounts',
      type: 'jsonb',
      select: `(SELECT json_object_agg(node_number, amounts)
        FROM reservation_nodes WHERE reservation_number = number)`,
      shape: byNode(amounts).nullable(),
    },
    { name: 'plan', type: 'jsonb', shape: z.unknown(), members: { amounts: byNode(amounts).optional() } },
  ],
  write: (value, row, record) => {
    if (isTransfer(record)) row.plan = { ...(row.plan as object | undefined), amounts: value };
  },
  read: ({ plan, amounts: onNodes }) =>
    (plan as { amounts?: ReservationRecord['amounts'] }).amounts ??
    (onNodes as ReservationRecord['amounts'] | null) ??
    {},
};

export const reservations = new Table<ReservationRecord>(
  'reservations',
  ['number'],
  {
    id: bigint('number'),
    leaseId: int('lease_number'),
    kind: oneOf('kind', 'ReservationKind', ReservationKind),
    state: oneOf('state', 'ReservationState', ReservationState),
    start: instant('starts_at'),
    end: instant('ends_at'),
    amounts: amountsOfReservation,
    machines: member('plan', 'machines', byMachine.nullable()),
    moves: member('plan', 'moves', z.record(positive, pair).nullable()),
    waiting: member('plan', 'waiting', byNode(z.array(pair)).nullable()),
    targets: member('plan', 'targets', byNode(z.array(pair)).nullable()),
    image: member('plan', 'image', image.nullable()),
    vmId: member('plan', 'vmId', z.int().nullable()),
    // Plans written by earlier versions have no preemptor.
    preemptor: member('plan', 'preemptor', z.int().nullable().default(null)),
    chainIndex: member('plan', 'chainIndex', z.int()),
    startRank: member('plan', 'startRank', z.int()),
    endRank: member('plan', 'endRank', z.int()),
  },
  ({ id }) => `Reservation ${id}`,
);

interface ReservationNodeRecord {
  readonly reservationId: number;
  readonly node: number;
  readonly amounts: Amounts;
  /** As of the reservation. */
  readonly start: Instant;
  readonly end: Instant;
}

export const reservationNodes = new Table<ReservationNodeRecord>(
  'reservation_nodes',
  ['reservation_number', 'node_number'],
  {
    reservationId: bigint('reservation_number'),
    node: int('node_number'),
    amounts: json('amounts', amounts),
    start: instant('starts_at'),
    end: instant('ends_at'),
  },
  ({ reservationId, node }) => `Node ${node} of reservation ${reservationId}`,
);

export function nodesOf(reservation: ReservationRecord): ReservationNodeRecord[] {
  return Object.entries(reservation.amounts).map(([node, each]) => ({
    reservationId: reservation.id,
    node: Number(node),
    amounts: each,
    start: reservation.start,
    end: reservation.end,
  }));
}

/** Kinds of reservations that count as use of the site's resources: transfers and migrations reserve only bandwidth. */
const counted: ReadonlySet<ReservationRecord['kind']> = new Set(['VM', 'SHUTDOWN', 'SUSPENSION', 'RESUMPTION']);

/** Whether to add a reservation to `utilization_hours`, unless it had already finished. */
export function isFinishedUse({ kind, state, start, end }: ReservationRecord): boolean {
  return counted.has(kind) && (state === 'DONE' || state === 'CANCELLED') && end > start;
}
