import { isFinal, type LeaseState, leaseTransitions, type NodeSpec } from '../core/index.ts';
import type { StoredSite } from '../engine/ports.ts';
import type { Queryable } from './database.ts';
import { type ActionRow, type LeaseRow, type ReservationRow, RowCheck } from './row-check.ts';

const finalStates = (Object.keys(leaseTransitions) as LeaseState[]).filter(isFinal);

const millis = (column: string) => `(extract(epoch FROM ${column}) * 1000)::bigint`;
const page = 'number > $1::bigint ORDER BY number LIMIT $2';
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
  FROM leases WHERE ${live} AND ${page}`;
const reservationQuery = `
  SELECT number, lease_number, kind, state, ${millis('starts_at')} AS starts_at, ${millis('ends_at')} AS ends_at, plan,
    (SELECT json_object_agg(node_number, amounts) FROM reservation_nodes WHERE reservation_number = number) AS amounts
  FROM reservations WHERE state IN ('SCHEDULED', 'ACTIVE') AND ${page}`;
const actionQuery = `
  SELECT number, kind, lease_number, reservation_number, ${millis('at')} AS at, ${millis('deadline')} AS deadline, targets
  FROM actions WHERE state = 'PENDING' AND ${page}`;

/**
 * Rows that are read at a time: so few that each read ends well within the time that a read may take, however many leases live, and that
 * others have their turn in between.
 */
const pageSize = 2_000;

/** Reads everything that lives; what makes no sense is left out and told in `quarantined`. */
export async function load(database: Queryable): Promise<StoredSite | null> {
  const [site] = await database.query<SiteRow>(siteQuery);
  if (site === undefined || site.name === null) return null;
  const nodes = await database.query<NodeSpec>(
    'SELECT number, hostname, capacity FROM nodes ORDER BY number',
  );
  const check = new RowCheck(nodes);
  const leases = await pages(database, leaseQuery, (rows: LeaseRow[]) => check.leases(rows));
  const reservations = await pages(database, reservationQuery, (rows: ReservationRow[]) =>
    check.reservations(rows),
  );
  return {
    name: site.name,
    spec: { resourceTypes: site.resource_types, nodes },
    createdAt: site.created_at,
    lastCommit: site.last_commit,
    pendingActions: await pages(database, actionQuery, (rows: ActionRow[]) => check.actions(rows)),
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

/** What comes of all rows of a query, page by page. */
async function pages<R extends { readonly number: number }, T>(
  database: Queryable,
  query: string,
  recordsOf: (rows: R[]) => readonly T[],
): Promise<T[]> {
  const records: T[] = [];
  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    const rows = await database.query<R>(query, [after, pageSize]);
    records.push(...recordsOf(rows));
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return records;
    after = last.number;
  }
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
