-- An index on a node and an interval needs it. (It comes with PostgreSQL, among the contributed modules.)
CREATE EXTENSION IF NOT EXISTS btree_gist;

-- DropIndex
DROP INDEX "reservations_ends_at_idx";
DROP INDEX "reservation_nodes_node_number_reservation_number_idx";

-- AlterTable
ALTER TABLE "reservation_nodes" ADD COLUMN "starts_at" TIMESTAMPTZ(3), ADD COLUMN "ends_at" TIMESTAMPTZ(3);
UPDATE "reservation_nodes" SET "starts_at" = r."starts_at", "ends_at" = r."ends_at"
FROM "reservations" AS r WHERE r."number" = "reservation_number";
ALTER TABLE "reservation_nodes" ALTER COLUMN "starts_at" SET NOT NULL, ALTER COLUMN "ends_at" SET NOT NULL;

-- CreateIndex
CREATE INDEX "reservation_nodes_node_number_starts_at_reservation_number_idx"
  ON "reservation_nodes"("node_number", "starts_at", "reservation_number");

-- What Prisma cannot express: queries by interval read no more than what overlaps it, whatever the history. Closed ranges, since
-- reservations without a length overlap what they lie in.
CREATE INDEX "reservations_span" ON "reservations" USING gist (tstzrange("starts_at", "ends_at", '[]'));
CREATE INDEX "reservation_nodes_span" ON "reservation_nodes"
  USING gist ("node_number", tstzrange("starts_at", "ends_at", '[]'));

-- CreateTable
CREATE TABLE "utilization_hours" (
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "resource" TEXT NOT NULL,
    "kind" "ReservationKind" NOT NULL,
    "area" DECIMAL NOT NULL,

    CONSTRAINT "utilization_hours_pkey" PRIMARY KEY ("hour","resource","kind")
);

-- What finished reservations held; the writer adds each when it finishes.
INSERT INTO "utilization_hours" ("hour", "resource", "kind", "area")
SELECT hour, resource, kind,
  sum(amount * round(extract(epoch FROM least(ends_at, hour + interval '1 hour') - greatest(starts_at, hour)) * 1000))
FROM (
  SELECT r.kind, r.starts_at, r.ends_at, held.key AS resource, sum((instance #>> '{}')::numeric) AS amount
  FROM "reservations" AS r JOIN "reservation_nodes" AS n ON n."reservation_number" = r."number"
    CROSS JOIN LATERAL jsonb_each(n."amounts") AS held CROSS JOIN LATERAL jsonb_path_query(held.value, '$[*]') AS instance
  WHERE r."state" IN ('DONE', 'CANCELLED') AND r."kind" IN ('VM', 'SHUTDOWN', 'SUSPENSION', 'RESUMPTION')
    AND r."ends_at" > r."starts_at"
  GROUP BY r."number", held.key
) AS finished
CROSS JOIN LATERAL generate_series(date_trunc('hour', starts_at AT TIME ZONE 'UTC') AT TIME ZONE 'UTC',
  ends_at - interval '1 millisecond', interval '1 hour') AS hour
WHERE amount > 0
GROUP BY 1, 2, 3;

-- CreateIndex
CREATE INDEX "leases_ended" ON "leases"("ended_at") WHERE (ended_at IS NOT NULL);
