/** Between the core's records and the columns of the database. Instants travel as milliseconds since the epoch. */
import {
  type ActionRecord,
  type Instant,
  LAST_INSTANT,
  type LeaseEventRecord,
  type LeaseRecord,
  type NodeSpec,
  type ReservationRecord,
  type StateReason,
} from '../core/index.ts';
import { type ActionOutcome, StoreError } from '../engine/ports.ts';

/** The years 1 to 9999: what `timestamptz`, RFC 3339 and Prisma can all say. */
const firstInstant = Date.parse('0001-01-01T00:00:00Z');

export function leaseRow(lease: LeaseRecord) {
  const at = instants(`Lease ${lease.id}`);
  return {
    number: lease.id,
    name: lease.name,
    type: lease.type,
    state: lease.state,
    ...reasonColumns(lease.reason),
    preemptible: lease.preemptible,
    submitted_at: at('submittedAt', lease.submittedAt),
    requested_start: at('requestedStart', lease.requestedStart),
    original_duration: lease.originalDuration,
    duration: lease.duration,
    known_duration: lease.knownDuration,
    accumulated: lease.accumulated,
    image_name: lease.image?.name ?? null,
    image_size_mb: lease.image?.sizeMb ?? null,
    actual_start: at('actualStart', lease.actualStart),
    planned_start: at('plannedStart', lease.plannedStart),
    ended_at: at('endedAt', lease.endedAt),
    queue_rank: lease.queueRank,
    is_future: lease.isFuture,
    machine_count: lease.machines.length,
    placement: { mapping: lease.mapping, memoryAt: lease.memoryAt, diskAt: lease.diskAt },
  };
}

export function machineRows(lease: LeaseRecord) {
  return lease.machines.map((amounts, position) => {
    const index = position + 1;
    return {
      lease_number: lease.id,
      index,
      amounts,
      node_number: lease.mapping?.[index] ?? lease.memoryAt[index] ?? null,
    };
  });
}

export function reservationRow(reservation: ReservationRecord) {
  const { id, leaseId, kind, state, start, end, amounts, ...rest } = reservation;
  const plan = isTransfer(reservation) ? { ...rest, amounts } : rest;
  const at = instants(`Reservation ${id}`);
  return {
    number: id,
    lease_number: leaseId,
    kind,
    state,
    starts_at: at('start', start),
    ends_at: at('end', end),
    plan,
  };
}

export function reservationNodeRows(reservation: ReservationRecord) {
  return Object.entries(reservation.amounts).map(([node, amounts]) => ({
    reservation_number: reservation.id,
    node_number: Number(node),
    amounts,
    anywhere: isTransfer(reservation),
  }));
}

/** A transfer holds bandwidth of the image repository too, which is not among the nodes of the site. */
function isTransfer(reservation: ReservationRecord): boolean {
  return reservation.kind === 'IMAGE_TRANSFER';
}

export function eventRow(event: LeaseEventRecord) {
  return {
    sequence: event.sequence,
    at: instants(`Event ${event.sequence}`)('at', event.at),
    lease_number: event.leaseId,
    from_state: event.from,
    to_state: event.to,
    ...reasonColumns(event.reason),
  };
}

/** An action that was carried out within the turn that made it is written with its outcome. */
export function actionRow(action: ActionRecord, outcome: ActionOutcome | undefined) {
  const at = instants(`Action ${action.id}`);
  return {
    number: action.id,
    kind: action.kind,
    lease_number: action.leaseId,
    reservation_number: action.reservationId,
    at: at('at', action.at),
    deadline: at('deadline', action.deadline),
    targets: action.targets,
    state: outcome?.state ?? 'PENDING',
    attempts: outcome?.attempts ?? 0,
    error: outcome?.error ?? null,
    finished_at: at('finishedAt', outcome?.finishedAt ?? null),
  };
}

export function outcomeRow(outcome: ActionOutcome) {
  return {
    number: outcome.actionId,
    state: outcome.state,
    attempts: outcome.attempts,
    error: outcome.error,
    finished_at: instants(`Action ${outcome.actionId}`)('finishedAt', outcome.finishedAt),
  };
}

export function nodeRow(node: NodeSpec) {
  return { number: node.number, hostname: node.hostname, capacity: node.capacity };
}

export interface EventRow {
  readonly sequence: number;
  readonly at: number;
  readonly lease_number: number;
  readonly from_state: LeaseEventRecord['from'];
  readonly to_state: LeaseEventRecord['to'];
  readonly reason_code: string | null;
  readonly reason_message: string | null;
}

export function eventRecord(row: EventRow): LeaseEventRecord {
  return {
    sequence: row.sequence,
    at: row.at,
    leaseId: row.lease_number,
    from: row.from_state,
    to: row.to_state,
    reason: reasonRecord(row.reason_code, row.reason_message),
  };
}

export function reasonRecord(code: string | null, message: string | null): StateReason | null {
  return code === null ? null : { code, message: message ?? '' };
}

function reasonColumns(reason: StateReason | null) {
  return { reason_code: reason?.code ?? null, reason_message: reason?.message ?? null };
}

function instants(what: string) {
  return <T extends Instant | null>(field: string, value: T): T => {
    if (value === null) return value;
    if (Number.isSafeInteger(value) && value >= firstInstant && value <= LAST_INSTANT) return value;
    throw new StoreError(
      'PERMANENT',
      `${what}: ${field} is ${value}, and only whole milliseconds from year 1 to year 9999 can be kept.`,
    );
  };
}

/**
 * JSON that PostgreSQL takes: it knows neither the NUL character nor half a surrogate pair, so either becomes U+FFFD.
 */
export function toJson(value: unknown): string {
  const json = JSON.stringify(value) ?? 'null';
  if (!json.includes('\\u')) return json;
  const clean = (text: string) => text.replaceAll(/\p{Surrogate}|\0/gu, '\uFFFD');
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member === 'string') return clean(member);
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).map(([key, entry]) => [clean(key), entry]));
  });
}
