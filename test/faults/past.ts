import type { PrismaClient } from '../../src/store/prisma/client.ts';

/**
 * Inserts finished leases into the database, as on a site that has run for a long time: one per minute, each with two
 * machines that ran for ten minutes, reservations, seven events, actions and an idempotency key. The site must
 * exist and have no lease.
 */
export const insertPast = async (prisma: PrismaClient, leases: number): Promise<void> => {
  const at = (minutes: string) => `now() - interval '1 minute' * (${leases + 60} - (${minutes}))`;
  const series = (name: string, count: number) => `generate_series(1, ${count}) AS ${name}`;
  const events = [
    ['NEW', 'PENDING', 0],
    ['PENDING', 'QUEUED', 0],
    ['QUEUED', 'SCHEDULED', 0],
    ['SCHEDULED', 'READY', 0],
    ['READY', 'ACTIVE', 1],
    ['ACTIVE', 'DONE', 11],
  ] as const;
  const statements = [
    `INSERT INTO leases (number, name, type, state, preemptible, submitted_at, original_duration, duration, accumulated, actual_start, planned_start, ended_at)
     SELECT n, 'past ' || n, 'BEST_EFFORT', 'DONE', true, ${at('n')}, 600000, 600000, 600000, ${at('n + 1')}, ${at('n + 1')}, ${at('n + 11')}
     FROM ${series('n', leases)}`,
    `INSERT INTO lease_machines (lease_number, index, amounts, node_number)
     SELECT n, i, '{"CPU": 100, "Memory": 512}', 1 + (n + i) % 4 FROM ${series('n', leases)}, ${series('i', 2)}`,
    `INSERT INTO reservations (number, lease_number, kind, state, starts_at, ends_at, plan)
     SELECT n, n, 'VM', 'DONE', ${at('n + 1')}, ${at('n + 11')}, '{}' FROM ${series('n', leases)}`,
    `INSERT INTO reservation_nodes (reservation_number, node_number, amounts, starts_at, ends_at)
     SELECT n, 1 + (n + i) % 4, '{"CPU": 100, "Memory": 512}', ${at('n + 1')}, ${at('n + 11')} FROM ${series('n', leases)}, ${series('i', 2)}`,
    `INSERT INTO lease_events (sequence, at, lease_number, from_state, to_state)
     SELECT (n - 1) * ${events.length} + position, ${at('n + later')}, n, source::"LeaseState", target::"LeaseState"
     FROM ${series('n', leases)}, (VALUES ${events.map(([from, to, later], index) => `(${index + 1}, '${from}', '${to}', ${later})`).join(', ')}) AS event(position, source, target, later)`,
    `INSERT INTO actions (number, kind, state, lease_number, reservation_number, at, targets, attempts, finished_at)
     SELECT 2 * n + i, CASE i WHEN 0 THEN 'START' ELSE 'SHUTDOWN' END::"ActionKind", 'SUCCEEDED', n, n, ${at('n + 1')}, '[]', 1, ${at('n + 11')}
     FROM ${series('n', leases)}, generate_series(0, 1) AS i`,
    `INSERT INTO idempotency_keys (principal, key, input_hash, lease_number)
     SELECT 'admin', 'past ' || n, repeat('0', 64), n FROM ${series('n', leases)}`,
    `UPDATE sites SET last_lease_id = ${leases}, last_reservation_id = ${leases}, last_event_sequence = ${leases * events.length}, last_action_id = ${2 * leases + 1}`,
    'ANALYZE',
  ];
  for (const statement of statements) await prisma.$executeRawUnsafe(statement);
};
