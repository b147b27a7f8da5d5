import { isFinal, type LeaseState, leaseTransitions } from '../core/index.ts';
import type { StoredSite, UnreadableRow } from '../engine/ports.ts';
import type { Queryable, Row } from './database.ts';
import { faultsOf, millisecondsOf, type Table } from './table.ts';
import {
  actionOrders,
  cachedImage,
  leases,
  maintenance,
  nodeStates,
  nodes,
  projectQuotas,
  recurrences,
  reservations,
  sites,
} from './tables/index.ts';

const finalStates = (Object.keys(leaseTransitions) as LeaseState[]).filter(isFinal);
const live = `state NOT IN (${finalStates.map((state) => `'${state}'`).join(', ')})`;

/** Recurrences with upcoming occurrences. */
const recurring = `(next_index IS NOT NULL
  OR EXISTS (SELECT FROM leases WHERE recurrence_number = recurrences.number AND ${live}))`;

/**
 * Page size. Each page is read well within the read timeout, independent of the number of live leases, and other work
 * runs in between.
 */
const pageSize = 2_000;

/**
 * Reads all live state. Rows with a wrong shape are skipped and listed in `unreadable`; the engine verifies the meaning
 * of the rest.
 */
export async function load(database: Queryable): Promise<StoredSite | null> {
  const unreadable: UnreadableRow[] = [];
  const [site] = await database.query<SiteRow>(
    `SELECT last_commit, ${millisecondsOf('notices_given_until')} AS given_until,
       coalesce((SELECT max(sequence) FROM notices), 0) AS last_notice, name, resource_types, ${millisecondsOf('created_at')} AS created_at, ${sites.selection}
     FROM writers LEFT JOIN sites ON true`,
  );
  if (site === undefined || site.name === null) return null;
  const read = <R extends { readonly id: number }>(
    table: Table<R>,
    condition: string,
    what: (row: Row) => UnreadableRow,
  ) =>
    pages(database, table, condition, (row, faults) => {
      const { leaseId, message } = what(row);
      unreadable.push({ leaseId, message: `${message}: ${faults}.` });
    });
  const quotas = await all(database, projectQuotas, `quotas <> '[]'`, 'number');
  return {
    name: site.name,
    spec: {
      resourceTypes: site.resource_types,
      nodes: (await database.query(`SELECT ${nodes.selection} FROM nodes ORDER BY number`)).map((row) =>
        nodes.toRecord(row),
      ),
    },
    createdAt: site.created_at,
    lastCommit: site.last_commit,
    snapshot: {
      leases: await read(leases, live, ({ number }) => ({
        leaseId: Number(number),
        message: `Lease ${number}`,
      })),
      reservations: await read(reservations, `state IN ('SCHEDULED', 'ACTIVE')`, ({ number, lease_number }) => ({
        leaseId: Number(lease_number),
        message: `Reservation ${number} of lease ${lease_number}`,
      })),
      nodes: await all(database, nodeStates, `state <> 'UP' OR state_cause IS NOT NULL`, 'number'),
      maintenance: await all(
        database,
        maintenance,
        // Reservations that had ended by the time of the last event cannot change any more.
        `starts_at < ends_at AND
         ends_at > coalesce((SELECT at FROM lease_events ORDER BY sequence DESC LIMIT 1), '-infinity')`,
        'starts_at, name',
      ),
      ...(quotas.length > 0 && { quotas }),
      recurrences: await read(recurrences, recurring, ({ number }) => ({
        leaseId: null,
        message: `Recurrence ${number}`,
      })),
      site: { ...sites.toRecord(site), cachedImages: cachedImages(site.cached_images, unreadable) },
    },
    pendingActions: await read(actionOrders, `state = 'PENDING'`, ({ number, lease_number }) => ({
      leaseId: null,
      message: `Action ${number} of lease ${lease_number}`,
    })),
    failedRemovals: await failedRemovals(database),
    notices: { last: site.last_notice, givenUntil: site.given_until },
    unreadable,
  };
}

/** Pending actions that remove machines, and have failed to. */
async function failedRemovals(database: Queryable): Promise<number[]> {
  const rows = await database.query<{ readonly number: string | number }>(
    `SELECT number FROM actions WHERE state = 'PENDING' AND kind = 'DESTROY' AND error IS NOT NULL ORDER BY number`,
  );
  return rows.map(({ number }) => Number(number));
}

/** Reads a small number of records. */
async function all<R extends object>(
  database: Queryable,
  table: Table<R>,
  condition: string,
  order: string,
): Promise<R[]> {
  const rows = await database.query(
    `SELECT ${table.selection} FROM ${table.name} WHERE ${condition} ORDER BY ${order}`,
  );
  return rows.map((row) => table.toRecord(row));
}

/** Reads all records that match a condition, page by page. */
async function pages<R extends { readonly id: number }>(
  database: Queryable,
  table: Table<R>,
  condition: string,
  leaveOut: (row: Row, faults: string) => void,
): Promise<R[]> {
  const query = `SELECT ${table.selection} FROM ${table.name}
    WHERE ${condition} AND number > $1::bigint ORDER BY number LIMIT $2`;
  const records: R[] = [];
  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    const rows = await database.query(query, [after, pageSize]);
    for (const row of rows) {
      const parsed = table.parse(row);
      if ('record' in parsed) records.push(parsed.record);
      else leaveOut(row, parsed.faults);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return records;
    after = Number(last.number);
  }
}

function cachedImages(value: unknown, unreadable: UnreadableRow[]) {
  const leaveOut = (message: string) => unreadable.push({ leaseId: null, message });
  if (!Array.isArray(value)) {
    leaveOut('The list of cached images is not a list.');
    return [];
  }
  return value.flatMap((entry: unknown, position) => {
    const parsed = cachedImage.safeParse(entry);
    if (parsed.success) return [parsed.data];
    leaveOut(`Cached image ${position + 1}: ${faultsOf(parsed.error)}.`);
    return [];
  });
}

interface SiteRow extends Row {
  readonly last_commit: string | null;
  readonly name: string | null;
  readonly resource_types: readonly string[];
  readonly cached_images: unknown;
  readonly created_at: number;
  readonly last_notice: number;
  readonly given_until: number | null;
}
