import type { Source } from './view.ts';

export interface SchedulerCounts {
  readonly liveLeases: number;
  readonly queueLength: number;
}

/** For all leases, independent of visibility. */
export async function countLive({ prisma }: Source): Promise<SchedulerCounts> {
  const [row] = await prisma.$queryRaw<SchedulerCounts[]>`
    SELECT count(*)::int AS "liveLeases", count(queue_rank)::int AS "queueLength" FROM leases
    WHERE state <> ALL (ARRAY['REJECTED'::"LeaseState", 'CANCELLED'::"LeaseState", 'DONE'::"LeaseState",
      'FAILED'::"LeaseState", 'REJECTED_BY_USER'::"LeaseState"])`;
  return row ?? { liveLeases: 0, queueLength: 0 };
}
