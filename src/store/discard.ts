import type { LeaseState } from '../core/index.ts';
import { type LeaseRemains, StoreError, type WriterTerm } from '../engine/ports.ts';
import type { Queryable, WriterConnection } from './database.ts';
import { amounts } from './tables/shapes.ts';

/** Discards a lease that cannot be read or planned: see `OpenStore.discardLease`. */
const reason = {
  code: 'DISCARDED',
  message: 'an operator discarded it, since what was stored of it is not sound',
};

/**
 * A single statement, for the same reasons as a commit, that does not read the unreadable parts: the lease becomes
 * FAILED with an event, its plan is deleted, and its machines are destroyed on their known nodes.
 */
const statement = `
WITH fence AS (
  UPDATE writers SET last_commit = gen_random_uuid() WHERE epoch = $1::bigint RETURNING id
), last AS (
  SELECT greatest(now(), (SELECT at FROM lease_events ORDER BY sequence DESC LIMIT 1)) AS at
), lease AS (
  UPDATE leases SET state = 'FAILED', reason_code = $3, reason_message = $4, ended_at = last.at, planned_start = NULL,
    queue_rank = NULL, is_future = false, is_quarantined = false
  FROM fence, last WHERE number = $2::int AND ended_at IS NULL RETURNING number, project_number
), machines AS (
  SELECT lease_number, jsonb_agg(jsonb_build_object('leaseId', lease_number, 'machine', index, 'node', node_number,
    'toNode', NULL, 'capacity', amounts, 'image', NULL) ORDER BY index) AS targets
  FROM lease JOIN lease_machines ON lease_number = number WHERE node_number IS NOT NULL GROUP BY lease_number
), plan AS (
  DELETE FROM reservations USING lease WHERE lease_number = lease.number AND kind <> 'IMAGE_TRANSFER'
    AND state IN ('SCHEDULED', 'ACTIVE')
), unfinished AS (
  UPDATE actions SET state = 'FAILED', error = $4, finished_at = last.at
  FROM lease, last WHERE lease_number = lease.number AND state = 'PENDING'
), destruction AS (
  INSERT INTO actions (number, kind, state, lease_number, at, targets)
  SELECT last_action_id + 1, 'DESTROY', 'PENDING', lease_number, last.at, targets FROM machines, sites, last
  RETURNING number, targets
), destruction_nodes AS (
  INSERT INTO action_nodes (node_number, action_number)
  SELECT DISTINCT (target ->> 'node')::int, number FROM destruction, jsonb_array_elements(targets) AS target
), event AS (
  INSERT INTO lease_events (sequence, at, lease_number, from_state, to_state, reason_code, reason_message)
  SELECT last_event_sequence + 1, last.at, number, old.state, 'FAILED', $3, $4
  FROM lease JOIN leases AS old USING (number), sites, last
), notice AS (
  INSERT INTO notices (sequence, at, kind, lease_number, project_number, message, reason_code, reason_message)
  SELECT coalesce((SELECT max(sequence) FROM notices), 0) + 1, last.at, 'LEASE_FAILED', number, project_number,
    'Lease ' || number || ' has failed: ' || $4 || '.', $3, $4
  FROM lease, last RETURNING sequence, kind, project_number, lease_number
), delivery AS (
  INSERT INTO webhook_deliveries (webhook_number, notice_sequence, topic)
  SELECT webhooks.number, sequence, notice.lease_number
  FROM notice JOIN webhooks ON webhooks.state <> 'DISABLED'
    AND (coalesce(webhooks.kinds, '{}') = '{}' OR kind = ANY (webhooks.kinds))
    AND (webhooks.project_number IS NULL OR webhooks.project_number = notice.project_number)
), site AS (
  UPDATE sites SET last_event_sequence = last_event_sequence + 1,
    last_action_id = last_action_id + (SELECT count(*) FROM machines)
  FROM lease
)
SELECT (SELECT count(*) FROM fence)::int AS allowed, (SELECT count(*) FROM lease)::int AS discarded,
  (SELECT pg_notify('leasegraph_events', '') FROM lease) AS events`;

/** Throws StoreError for a writer that has been succeeded, and for a lease that does not exist or has ended. */
export async function discardLease(
  connection: WriterConnection,
  { epoch }: WriterTerm,
  leaseNumber: number,
): Promise<void> {
  const [result] = await connection.query<{ allowed: number; discarded: number }>(statement, [
    epoch,
    leaseNumber,
    reason.code,
    reason.message,
  ]);
  if (result?.allowed !== 1) {
    throw new StoreError('FENCED', `Another writer has taken over from epoch ${epoch}: nothing was written.`);
  }
  if (result.discarded !== 1) throw new StoreError('PERMANENT', `There is no lease ${leaseNumber} that has not ended.`);
}

/** The index `leases_quarantined` keeps the first part cheap. */
const markStatement = `
WITH fence AS (SELECT id FROM writers WHERE epoch = $1::bigint), released AS (
  UPDATE leases SET is_quarantined = false FROM fence WHERE is_quarantined AND number <> ALL ($2::int[])
)
UPDATE leases SET is_quarantined = true FROM fence
WHERE number = ANY ($2::int[]) AND ended_at IS NULL AND NOT is_quarantined`;

/** As Store.markQuarantined. */
export async function markQuarantined(
  connection: WriterConnection,
  { epoch }: WriterTerm,
  leaseNumbers: readonly number[],
): Promise<void> {
  await connection.query(markStatement, [epoch, leaseNumbers]);
}

interface RemainsRow {
  readonly number: number;
  readonly state: string;
  readonly project: number | null;
  readonly machines: readonly (readonly [machine: number, node: number, capacity: unknown])[];
}

/** As Store.remains. Unreadable capacity counts as zero. */
export async function readRemains(
  database: Queryable,
  leaseNumbers: readonly number[],
): Promise<readonly LeaseRemains[]> {
  const rows = await database.query<RemainsRow & Record<string, unknown>>(
    `SELECT number, state::text, project_number AS project, coalesce((SELECT jsonb_agg(jsonb_build_array(index, node_number, amounts) ORDER BY index)
       FROM lease_machines WHERE lease_number = number AND node_number IS NOT NULL), '[]') AS machines
     FROM leases WHERE number = ANY ($1::int[]) AND ended_at IS NULL`,
    [leaseNumbers],
  );
  return rows.map(({ number, state, project, machines }) => ({
    leaseId: number,
    project,
    state: state as LeaseState,
    machines: machines.map(([machine, node, stored]) => {
      const capacity = amounts.safeParse(stored);
      return { machine, node, capacity: capacity.success ? capacity.data : {} };
    }),
  }));
}
