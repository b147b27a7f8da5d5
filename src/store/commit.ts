import type { CommitBatch } from '../engine/ports.ts';
import type { Statement } from './database.ts';
import {
  actionRow,
  eventRow,
  leaseRow,
  machineRows,
  outcomeRow,
  reservationNodeRows,
  reservationRow,
  toJson,
} from './rows.ts';
import type { Written } from './written.ts';

/** Milliseconds since the epoch as an instant; exact, since the column rounds to milliseconds. */
const instant = (column: string) => `to_timestamp(${column} / 1000.0)`;

const leaseColumns = `number int, name text, type "LeaseType", state "LeaseState", reason_code text, reason_message text,
  preemptible boolean, submitted_at bigint, requested_start bigint, original_duration bigint, duration bigint,
  known_duration bigint, accumulated bigint, image_name text, image_size_mb bigint, actual_start bigint,
  planned_start bigint, ended_at bigint, queue_rank bigint, is_future boolean,
  machine_count int, placement jsonb`;

const update = (columns: string) =>
  columns
    .split(',')
    .map((column) => column.trim())
    .map((column) => `${column} = excluded.${column}`)
    .join(', ');

/**
 * A whole commit in one statement, so in one round trip and one transaction. Every part joins `fence`, which holds one row
 * when this writer's epoch and the commit that it planned upon are the newest, and none otherwise: then nothing is written.
 * The parts see the state before the statement, and no row may be touched by two of them.
 */
export const commitStatement: Statement = {
  name: 'leasegraph_commit',
  text: `
WITH fence AS (
  UPDATE writers SET last_commit = $2::uuid WHERE epoch = $1::bigint AND last_commit IS NOT DISTINCT FROM $3::uuid
  RETURNING id
), site AS (
  UPDATE sites SET last_lease_id = s.last_lease_id, last_reservation_id = s.last_reservation_id,
    last_event_sequence = s.last_event_sequence, last_action_id = s.last_action_id, last_rank = s.last_rank,
    cached_images = s.cached_images
  FROM fence, jsonb_to_recordset($4::jsonb) AS s(last_lease_id int, last_reservation_id bigint,
    last_event_sequence bigint, last_action_id bigint, last_rank bigint, cached_images jsonb)
  WHERE sites.id = 1
), lease AS (
  INSERT INTO leases (number, name, type, state, reason_code, reason_message, preemptible, submitted_at, requested_start,
    original_duration, duration, known_duration, accumulated, image_name, image_size_mb, actual_start, planned_start,
    ended_at, queue_rank, is_future, machine_count, placement)
  SELECT number, name, type, state, reason_code, reason_message, preemptible, ${instant('submitted_at')},
    ${instant('requested_start')}, original_duration, duration, known_duration, accumulated, image_name, image_size_mb,
    ${instant('actual_start')}, ${instant('planned_start')}, ${instant('ended_at')}, queue_rank, is_future, machine_count, placement
  FROM fence, jsonb_to_recordset($5::jsonb) AS l(${leaseColumns})
  ON CONFLICT (number) DO UPDATE SET ${update(`name, type, state, reason_code, reason_message, preemptible,
    submitted_at, requested_start, original_duration, duration, known_duration, accumulated, image_name, image_size_mb,
    actual_start, planned_start, ended_at, queue_rank, is_future, machine_count, placement`)}
), machine AS (
  INSERT INTO lease_machines AS old (lease_number, index, amounts, node_number)
  SELECT lease_number, index, amounts, node_number
  FROM fence, jsonb_to_recordset($6::jsonb) AS m(lease_number int, index int, amounts jsonb, node_number int)
  ON CONFLICT (lease_number, index) DO UPDATE SET ${update('amounts, node_number')}
  WHERE (old.amounts, old.node_number) IS DISTINCT FROM (excluded.amounts, excluded.node_number)
), reservation AS (
  INSERT INTO reservations (number, lease_number, kind, state, starts_at, ends_at, plan)
  SELECT number, lease_number, kind, state, ${instant('starts_at')}, ${instant('ends_at')}, plan
  FROM fence, jsonb_to_recordset($7::jsonb) AS r(number bigint, lease_number int, kind "ReservationKind",
    state "ReservationState", starts_at bigint, ends_at bigint, plan jsonb)
  ON CONFLICT (number) DO UPDATE SET ${update('lease_number, kind, state, starts_at, ends_at, plan')}
), held AS (
  SELECT reservation_number, node_number, amounts
  FROM fence, jsonb_to_recordset($8::jsonb) AS h(reservation_number bigint, node_number int, amounts jsonb,
    anywhere boolean)
  WHERE NOT anywhere OR EXISTS (SELECT FROM nodes WHERE number = node_number)
), hold AS (
  INSERT INTO reservation_nodes AS old (reservation_number, node_number, amounts)
  SELECT reservation_number, node_number, amounts FROM held
  ON CONFLICT (reservation_number, node_number) DO UPDATE SET amounts = excluded.amounts
  WHERE old.amounts IS DISTINCT FROM excluded.amounts
), unhold AS (
  DELETE FROM reservation_nodes old USING fence
  WHERE old.reservation_number = ANY ($9::bigint[])
    AND NOT EXISTS (SELECT FROM held WHERE held.reservation_number = old.reservation_number AND held.node_number = old.node_number)
), withdrawal AS (
  DELETE FROM reservations USING fence WHERE number = ANY ($10::bigint[])
), event AS (
  INSERT INTO lease_events (sequence, at, lease_number, from_state, to_state, reason_code, reason_message)
  SELECT sequence, ${instant('at')}, lease_number, from_state, to_state, reason_code, reason_message
  FROM fence, jsonb_to_recordset($11::jsonb) AS e(sequence bigint, at bigint, lease_number int, from_state "LeaseState",
    to_state "LeaseState", reason_code text, reason_message text)
), action AS (
  INSERT INTO actions (number, kind, state, lease_number, reservation_number, at, deadline, targets, attempts, error, finished_at)
  SELECT number, kind, state, lease_number, reservation_number, ${instant('at')}, ${instant('deadline')}, targets, attempts,
    error, ${instant('finished_at')}
  FROM fence, jsonb_to_recordset($12::jsonb) AS a(number bigint, kind "ActionKind", state "ActionState", lease_number int,
    reservation_number bigint, at bigint, deadline bigint, targets jsonb, attempts int, error text, finished_at bigint)
), outcome AS (
  UPDATE actions SET state = o.state, attempts = o.attempts, error = o.error, finished_at = ${instant('o.finished_at')}
  FROM fence, jsonb_to_recordset($13::jsonb) AS o(number bigint, state "ActionState", attempts int, error text, finished_at bigint)
  WHERE actions.number = o.number
), idempotency AS (
  INSERT INTO idempotency_keys (principal, key, input_hash, lease_number)
  SELECT principal, key, input_hash, lease_number
  FROM fence, jsonb_to_recordset($14::jsonb) AS i(principal text, key text, input_hash text, lease_number int)
), answer AS (
  UPDATE commands SET answer = c.answer, answered_at = now()
  FROM fence, jsonb_to_recordset($15::jsonb) AS c(id uuid, answer jsonb)
  WHERE commands.id = c.id
)
SELECT id,
  (SELECT pg_notify('leasegraph_events', '') WHERE jsonb_array_length($11::jsonb) > 0) AS events,
  (SELECT pg_notify('leasegraph_answers', '') WHERE jsonb_array_length($15::jsonb) > 0) AS answers
FROM fence`,
};

export function commitValues(batch: CommitBatch, epoch: number, written: Written): readonly unknown[] {
  const { changes } = batch;
  const withdrawn = new Set(changes.withdrawn);
  const reservations = changes.reservations.filter((reservation) => !withdrawn.has(reservation.id));
  const holding = reservations.filter((reservation) => !written.hasAmounts(reservation));
  const outcomes = new Map(batch.outcomes.map((outcome) => [outcome.actionId, outcome]));
  const actions = changes.actions.map((action) => actionRow(action, outcomes.get(action.id)));
  for (const action of changes.actions) outcomes.delete(action.id);
  return [
    epoch,
    batch.id,
    batch.previous,
    toJson(changes.site === null ? [] : [siteRow(changes.site)]),
    toJson(changes.leases.map(leaseRow)),
    toJson(changes.leases.filter((lease) => !written.hasMachines(lease)).flatMap(machineRows)),
    toJson(reservations.map(reservationRow)),
    toJson(holding.flatMap(reservationNodeRows)),
    holding.map((reservation) => reservation.id),
    [...withdrawn],
    toJson(changes.events.map(eventRow)),
    toJson(actions),
    toJson([...outcomes.values()].map(outcomeRow)),
    toJson(
      batch.idempotency.map(({ principal, key, inputHash, leaseNumber }) => ({
        principal,
        key,
        input_hash: inputHash,
        lease_number: leaseNumber,
      })),
    ),
    toJson(batch.answers.map(({ commandId, answer }) => ({ id: commandId, answer }))),
  ];
}

function siteRow(site: NonNullable<CommitBatch['changes']['site']>) {
  return {
    last_lease_id: site.lastLeaseId,
    last_reservation_id: site.lastReservationId,
    last_event_sequence: site.lastEventSequence,
    last_action_id: site.lastActionId,
    last_rank: site.lastRank,
    cached_images: site.cachedImages,
  };
}
