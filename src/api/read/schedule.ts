import type { Instant } from '../../core/index.ts';
import { Prisma } from '../../store/prisma/client.ts';
import { shownState } from './leases.ts';
import { and, during } from './sql.ts';
import type { Source } from './view.ts';

/** A reservation with the lease fields shown in a chart. */
export interface ScheduledRow {
  readonly number: bigint;
  readonly kind: string;
  readonly state: string;
  readonly start: Date;
  readonly end: Date;
  /** Numbers of nodes, ascending. */
  readonly nodes: readonly number[];
  readonly leaseNumber: number;
  readonly leaseName: string | null;
  readonly leaseState: string;
  readonly leaseType: string;
  readonly leaseProject: string | null;
}

/** At most `limit` reservations that overlap [from, to), by start, without zero-length ones. */
export function readSchedule(
  { prisma, view }: Source,
  from: Instant,
  to: Instant,
  limit: number,
): Promise<ScheduledRow[]> {
  return prisma.$queryRaw`
    SELECT r.number, r.kind::text, r.state::text, r.starts_at AS start, r.ends_at AS "end",
      ARRAY (SELECT n.node_number FROM reservation_nodes n WHERE n.reservation_number = r.number
        ORDER BY n.node_number) AS nodes,
      l.number AS "leaseNumber", l.name AS "leaseName", ${shownState} AS "leaseState", l.type::text AS "leaseType",
      p.name AS "leaseProject"
    FROM reservations r JOIN leases l ON l.number = r.lease_number
      LEFT JOIN projects p ON p.number = l.project_number
    WHERE ${and([during({ from, to }, 'r'), Prisma.sql`r.starts_at < r.ends_at`, view.leases])}
    ORDER BY r.starts_at, r.number LIMIT ${limit}`;
}
