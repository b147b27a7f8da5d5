/** Short texts that differ when plans differ. */
import type { Batch } from './batches.ts';

/** Of the reservations of a lease; absent without any. Of leases that have been read, and so may be seen. */
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
 * Of what is planned or in progress on nodes, of all leases; absent for a node without any. The key 0 stands for all
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
