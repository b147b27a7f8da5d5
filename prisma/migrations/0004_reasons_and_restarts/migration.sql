-- AlterTable
ALTER TABLE "lease_events" ADD COLUMN     "reason_data" JSONB;

-- AlterTable
ALTER TABLE "leases" ADD COLUMN     "lost_duration" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "reason_data" JSONB,
ADD COLUMN     "restarts" INTEGER NOT NULL DEFAULT 0;
