import type { CommitBatch } from '../engine/ports.ts';
import type { Statement } from './database.ts';
import { toJson } from './json.ts';
import type { Table } from './table.ts';
import {
  actionOutcomes,
  actions,
  auditEntries,
  idempotencyKeys,
  inventory,
  isFinishedUse,
  isTransfer,
  leaseEvents,
  leaseMachines,
  leases,
  machinesOf,
  maintenance,
  nodeStates,
  nodesOf,
  notices,
  projectQuotas,
  recurrences,
  reservationNodes,
  reservations,
  sites,
  withOutcome,
} from './tables/index.ts';

type Columns = Pick<Table<object>, 'name' | 'names' | 'recordSet' | 'values'>;

/** INSERT of the records in a JSON parameter. */
function insert(table: Columns, parameter: number): string {
  return `INSERT INTO ${table.name} AS old (${table.names})
  SELECT ${table.values} FROM fence, ${recordsOf(table, parameter)}`;
}

function recordsOf(table: Columns, parameter: number, more = ''): string {
  return `jsonb_to_recordset($${parameter}::jsonb) AS new(${table.recordSet}${more})`;
}

/** In milliseconds. */
const hour = 3_600_000;

/**
 * A whole commit in one statement, and so in one round trip and one transaction. Every part joins `fence`, which holds
 * one row if this writer's epoch and the commit it is based on are the newest, and none otherwise, so that nothing is
 * written. The parts see the state before the statement, and no two of them may modify the same row.
 */
function commitStatement(name: string, more = ''): Statement {
  return {
    name,
    text: `
WITH fence AS (
  UPDATE writers SET last_commit = $2::uuid,
    notices_given_until = coalesce(to_timestamp($21::bigint / 1000.0), notices_given_until)
  WHERE epoch = $1::bigint AND last_commit IS NOT DISTINCT FROM $3::uuid
  RETURNING id
), site AS (
  UPDATE sites SET ${sites.assignments('new')} FROM fence, ${recordsOf(sites, 4)} WHERE sites.id = 1
), lease AS (
  ${insert(leases, 5)}
  ON CONFLICT (number) DO UPDATE SET ${leases.replacement}
), machine AS (
  ${insert(leaseMachines, 6)}
  ON CONFLICT (lease_number, index) DO UPDATE SET ${leaseMachines.replacement}
  WHERE (old.amounts, old.node_number) IS DISTINCT FROM (excluded.amounts, excluded.node_number)
), reservation AS (
  ${insert(reservations, 7)}
  ON CONFLICT (number) DO UPDATE SET ${reservations.replacement}
), held AS (
  SELECT ${reservationNodes.names} FROM fence, ${recordsOf(reservationNodes, 8, ', anywhere boolean')}
  WHERE NOT anywhere OR EXISTS (SELECT FROM nodes WHERE number = node_number)
    OR EXISTS (SELECT FROM jsonb_to_recordset($19::jsonb) AS added(number int) WHERE added.number = node_number)
), hold AS (
  INSERT INTO reservation_nodes AS old (${reservationNodes.names}) SELECT ${reservationNodes.values} FROM held
  ON CONFLICT (reservation_number, node_number) DO UPDATE SET ${reservationNodes.replacement}
  WHERE (old.amounts, old.starts_at, old.ends_at)
    IS DISTINCT FROM (excluded.amounts, excluded.starts_at, excluded.ends_at)
), moved AS (
  UPDATE reservation_nodes old SET starts_at = new.starts_at, ends_at = new.ends_at
  FROM (SELECT number, to_timestamp(starts_at / 1000.0) AS starts_at, to_timestamp(ends_at / 1000.0) AS ends_at
    FROM fence, ${recordsOf(reservations, 7)}) AS new
  WHERE old.reservation_number = new.number AND NOT old.reservation_number = ANY ($9::bigint[])
    AND (old.starts_at, old.ends_at) IS DISTINCT FROM (new.starts_at::timestamptz(3), new.ends_at::timestamptz(3))
), unhold AS (
  DELETE FROM reservation_nodes old USING fence
  WHERE old.reservation_number = ANY ($9::bigint[]) AND NOT EXISTS (
    SELECT FROM held
    WHERE held.reservation_number = old.reservation_number AND held.node_number = old.node_number)
), used AS (
  SELECT starts_at, ends_at, kind, held.key AS resource, sum((instance #>> '{}')::numeric) AS amount
  FROM fence, jsonb_to_recordset($16::jsonb)
      AS new(number bigint, kind "ReservationKind", starts_at bigint, ends_at bigint, amounts jsonb),
    jsonb_each(amounts) AS node, jsonb_each(node.value) AS held, jsonb_path_query(held.value, '$[*]') AS instance
  WHERE NOT EXISTS (SELECT FROM reservations old WHERE old.number = new.number AND old.state IN ('DONE', 'CANCELLED'))
  GROUP BY number, starts_at, ends_at, kind, held.key
), utilization AS (
  INSERT INTO utilization_hours AS old (hour, resource, kind, area)
  SELECT to_timestamp(hour * 3600), resource, kind,
    sum(amount * (least(ends_at, (hour + 1) * ${hour}) - greatest(starts_at, hour * ${hour})))
  FROM used, generate_series(floor(starts_at / ${hour}.0)::bigint, floor((ends_at - 1) / ${hour}.0)::bigint) AS hour
  WHERE amount > 0
  GROUP BY hour, resource, kind
  ON CONFLICT (hour, resource, kind) DO UPDATE SET area = old.area + excluded.area
), withdrawal AS (
  DELETE FROM reservations USING fence WHERE number = ANY ($10::bigint[])
), event AS (
  ${insert(leaseEvents, 11)}
), notice AS (
  ${insert(notices, 20)}
), delivery AS (
  INSERT INTO webhook_deliveries (webhook_number, notice_sequence, topic)
  SELECT webhooks.number, sequence, coalesce(lease_number, 0)
  FROM fence, ${recordsOf(notices, 20)} JOIN webhooks ON webhooks.state <> 'DISABLED'
    AND (coalesce(webhooks.kinds, '{}') = '{}' OR kind = ANY (webhooks.kinds))
    AND (webhooks.project_number IS NULL OR webhooks.project_number = new.project_number)
  ORDER BY sequence, webhooks.number
), action AS (
  ${insert(actions, 12)}
), action_node AS (
  INSERT INTO action_nodes (node_number, action_number)
  SELECT DISTINCT node::int, new.number FROM fence, ${recordsOf(actions, 12)},
    jsonb_array_elements(new.targets) AS target,
    LATERAL (VALUES (target ->> 'node'), (target ->> 'toNode')) AS concerned(node)
  WHERE node IS NOT NULL
), outcome AS (
  UPDATE actions SET ${actionOutcomes.assignments('new')}
  FROM fence, ${recordsOf(actionOutcomes, 13)} WHERE actions.number = new.number
), idempotency AS (
  ${insert(idempotencyKeys, 14)}
), answer AS (
  UPDATE commands SET answer = new.answer, answered_at = now()
  FROM fence, jsonb_to_recordset($15::jsonb) AS new(id uuid, answer jsonb)
  WHERE commands.id = new.id
), node_state AS (
  UPDATE nodes SET ${nodeStates.assignments('new')}
  FROM fence, ${recordsOf(nodeStates, 17)} WHERE nodes.number = new.number
), inventory AS (
  ${insert(inventory, 19)}
  ON CONFLICT (number) DO UPDATE SET ${inventory.replacement}
), maintenance AS (
  ${insert(maintenance, 18)}
  ON CONFLICT (name) DO UPDATE SET ${maintenance.replacement}
), audit AS (
  ${insert(auditEntries, 24)}
), quota AS (
  UPDATE projects SET ${projectQuotas.assignments('new')}
  FROM fence, ${recordsOf(projectQuotas, 22)} WHERE projects.number = new.number
), recurrence AS (
  ${insert(recurrences, 23)}
  ON CONFLICT (number) DO UPDATE SET ${recurrences.replacement}
)${more}
SELECT id,
  (SELECT pg_notify('leasegraph_events', '') WHERE jsonb_array_length($11::jsonb || $20::jsonb) > 0) AS events,
  (SELECT pg_notify('leasegraph_answers', '') WHERE jsonb_array_length($15::jsonb) > 0) AS answers
FROM fence`,
  };
}

const ordinary = commitStatement('leasegraph_commit');

/** Actions of discarded leases that are no longer sent to hosts: all but those that remove machines. */
const discarding = commitStatement(
  'leasegraph_commit_discarding',
  `, discarded AS (
  SELECT new.* FROM fence, jsonb_to_recordset($25::jsonb) AS new(number int, at bigint, code text, message text)
), given_up AS (
  UPDATE leases SET state = 'FAILED', reason_code = code, reason_message = message, reason_data = NULL,
    ended_at = to_timestamp(at / 1000.0), planned_start = NULL, queue_rank = NULL, is_future = false,
    is_quarantined = false
  FROM discarded WHERE leases.number = discarded.number
), plan AS (
  DELETE FROM reservations USING discarded WHERE lease_number = discarded.number AND kind <> 'IMAGE_TRANSFER'
    AND reservations.state IN ('SCHEDULED', 'ACTIVE')
), unfinished AS (
  UPDATE actions SET state = 'FAILED', error = message, finished_at = to_timestamp(discarded.at / 1000.0)
  FROM discarded WHERE lease_number = discarded.number AND state = 'PENDING' AND kind <> 'DESTROY'
    AND actions.number NOT IN (SELECT number FROM ${recordsOf(actionOutcomes, 13)})
)`,
);

export function statementOf({ changes }: CommitBatch): Statement {
  return changes.discarded ? discarding : ordinary;
}

/** Throws StoreError for a value that cannot be stored. */
export function commitValues(batch: CommitBatch, epoch: number): readonly unknown[] {
  const { changes } = batch;
  const withdrawn = new Set(changes.withdrawn);
  // An interval may be empty when hosts are late. The database indexes intervals and rejects one that ends before it
  // starts.
  const kept = changes.reservations
    .filter((reservation) => !withdrawn.has(reservation.id))
    .map((reservation) =>
      reservation.end < reservation.start ? { ...reservation, end: reservation.start } : reservation,
    );
  // A change of state or time does not rewrite all machines and nodes.
  const placedLeases = new Set(changes.placedLeases);
  const placedReservations = new Set(changes.placedReservations);
  const holding = kept.filter(({ id }) => placedReservations.has(id));
  const placed = changes.leases.filter(({ id }) => placedLeases.has(id));
  const outcomes = new Map(batch.outcomes.map((outcome) => [outcome.actionId, outcome]));
  const newActions = changes.actions.map((action) => withOutcome(action, outcomes.get(action.id)));
  for (const action of changes.actions) outcomes.delete(action.id);
  const changed = changes.inventory ?? [];
  const rest = [...outcomes.values()].map(({ actionId, ...outcome }) => ({ id: actionId, ...outcome }));
  return [
    epoch,
    batch.id,
    batch.previous,
    rowsOf(sites, changes.site === null ? [] : [changes.site]),
    rowsOf(leases, changes.leases),
    rowsOf(leaseMachines, placed.flatMap(machinesOf)),
    rowsOf(reservations, kept),
    toJson(
      holding.flatMap((reservation) =>
        nodesOf(reservation).map((node) => ({
          ...reservationNodes.toRow(node),
          anywhere: isTransfer(reservation),
        })),
      ),
    ),
    holding.map((reservation) => reservation.id),
    [...withdrawn],
    rowsOf(leaseEvents, changes.events),
    rowsOf(actions, newActions),
    rowsOf(actionOutcomes, rest),
    rowsOf(idempotencyKeys, batch.idempotency),
    toJson(batch.answers.map(({ commandId, answer }) => ({ id: commandId, answer }))),
    toJson(
      kept.filter(isFinishedUse).map(({ id, kind, start, end, amounts }) => ({
        number: id,
        kind,
        starts_at: start,
        ends_at: end,
        amounts,
      })),
    ),
    // No row may be modified twice: added and changed nodes are written with their state.
    rowsOf(
      nodeStates,
      changes.nodes.filter(({ number }) => !changed.some((node) => node.number === number)),
    ),
    rowsOf(maintenance, changes.maintenance),
    rowsOf(inventory, changed),
    rowsOf(notices, batch.notices),
    batch.noticesGivenUntil,
    rowsOf(projectQuotas, changes.quotas ?? []),
    rowsOf(recurrences, changes.recurrences ?? []),
    rowsOf(auditEntries, batch.audit),
    ...(changes.discarded ? [toJson(discardedRows(changes.discarded, changes.events))] : []),
  ];
}

function discardedRows(discarded: readonly number[], events: CommitBatch['changes']['events']) {
  return events
    .filter(({ leaseId }) => discarded.includes(leaseId))
    .map(({ at, leaseId, reason }) => ({
      number: leaseId,
      at,
      code: reason?.code,
      message: reason?.message,
    }));
}

function rowsOf<R extends object>(table: Table<R>, records: readonly R[]): string {
  return toJson(records.map((record) => table.toRow(record)));
}
