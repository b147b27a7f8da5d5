/** Fingerprints of plans: short texts that change when plans change. */
import type { Batch } from './batches.ts';

/** For the reservations of leases already read; absent for a lease without reservations. */
export const plansOfLeases: Batch<number, string> = async ({ prisma }, leases) => {
  const rows = await prisma.$queryRaw<{ lease: number; plan: string }[]>`
    SELECT lease_number AS lease,
      md5(string_agg(concat_ws(' ', number, state, starts_at, ends_at), ',' ORDER BY number)) AS plan
    FROM reservations WHERE lease_number = ANY (${[...leases]}::int[])
      AND state = ANY (ARRAY['SCHEDULED'::"ReservationState", 'ACTIVE'::"ReservationState"])
    GROUP BY lease_number`;
  return new Map(rows.map(({ lease, plan }) => [lease, plan]));
};

/**
 * For current and planned reservations of all leases on nodes; absent for a node without any. Key 0 stands for all
 * nodes.
 */
export const plansOfNodes: Batch<number, ReadonlyMap<number, string>> = async ({ prisma }, keys) => {
  const rows = await prisma.$queryRaw<{ node: number; plan: string }[]>`
    SELECT n.node_number AS node,
      md5(string_agg(concat_ws(' ', r.number, r.state, r.starts_at, r.ends_at), ',' ORDER BY r.number)) AS plan
    FROM reservations r JOIN reservation_nodes n ON n.reservation_number = r.number
    WHERE r.state = ANY (ARRAY['SCHEDULED'::"ReservationState", 'ACTIVE'::"ReservationState"])
      AND (${keys.includes(0)} OR n.node_number = ANY (${[...keys]}::int[]))
    GROUP BY n.node_number`;
  const plans = new Map(rows.map(({ node, plan }) => [node, plan]));
  return new Map(keys.map((key) => [key, plans]));
};
