/**
 * What a database can do at most: the rows that a lease makes, written by bare `pg`, one statement and one commit a
 * lease.
 */
import pg from 'pg';
import type { Load } from './client.ts';
import { load } from './client.ts';

/**
 * A lease of two machines that is planned: one lease, two machines, a VM and its shutdown, on two nodes each, two
 * changes of state.
 */
const text = `
WITH lease AS (
  INSERT INTO leases (number, type, state, preemptible, submitted_at, requested_start, original_duration, duration, planned_start, placement)
  VALUES ($1::int, 'ADVANCE_RESERVATION', 'SCHEDULED', false, now(), $2, 3600000, 3600000, $2, $3::jsonb)
), machine AS (
  INSERT INTO lease_machines (lease_number, index, amounts, node_number)
  SELECT $1::int, machine, $4::jsonb, machine FROM generate_series(1, 2) AS machine
), reservation AS (
  INSERT INTO reservations (number, lease_number, kind, state, starts_at, ends_at, plan)
  VALUES ($1::int * 2::bigint, $1::int, 'VM', 'SCHEDULED', $2, $5, $6::jsonb),
    ($1::int * 2::bigint + 1, $1::int, 'SHUTDOWN', 'SCHEDULED', $5, $5, $6::jsonb)
), held AS (
  INSERT INTO reservation_nodes (reservation_number, node_number, amounts, starts_at, ends_at)
  SELECT $1::int * 2::bigint + shutdown, machine, $4::jsonb,
    CASE shutdown WHEN 0 THEN $2::timestamptz ELSE $5::timestamptz END, $5::timestamptz
  FROM generate_series(1, 2) AS machine, generate_series(0, 1) AS shutdown
)
INSERT INTO lease_events (sequence, at, lease_number, from_state, to_state)
VALUES ($1::int * 2::bigint, now(), $1::int, 'NEW', 'PENDING'), ($1::int * 2::bigint + 1, now(), $1::int, 'PENDING', 'SCHEDULED')`;

const placement = JSON.stringify({ mapping: { 1: 1, 2: 2 }, memoryAt: {}, diskAt: {} });
const amounts = JSON.stringify({ CPU: 100, Memory: 1_024 });
const plan = JSON.stringify({
  ...{ machines: { 1: 1, 2: 2 }, moves: null, waiting: null, targets: null, image: null },
  ...{ vmId: 1, chainIndex: 0, startRank: 1, endRank: 1 },
});

/** Numbers begin at `from`. */
export async function insertLeases(
  url: string,
  clients: number,
  limits: { readonly count: number; readonly time: number },
  from: number,
): Promise<Load> {
  const connections = Array.from({ length: clients }, () => new pg.Client(url));
  await Promise.all(connections.map((connection) => connection.connect()));
  try {
    return await load(clients, limits, (index, client) => {
      const start = new Date(Date.UTC(2100, 0, 1) + index * 60_000);
      const end = new Date(start.getTime() + 3_600_000);
      const values = [from + index, start, placement, amounts, end, plan];
      return (connections[client] as pg.Client).query({ name: 'lease', text, values });
    });
  } finally {
    await Promise.all(connections.map((connection) => connection.end()));
  }
}
