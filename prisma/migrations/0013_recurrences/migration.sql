-- CreateEnum
CREATE TYPE "RecurrenceCollisions" AS ENUM ('ALL_OR_NOTHING', 'SKIP');

-- AlterTable
ALTER TABLE "leases" ADD COLUMN     "occurrence" INTEGER,
ADD COLUMN     "recurrence_number" INTEGER;

-- AlterTable
ALTER TABLE "sites" ADD COLUMN     "last_recurrence_id" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "recurrences" (
    "number" INTEGER NOT NULL,
    "name" TEXT,
    "machines" JSONB NOT NULL,
    "preemptible" BOOLEAN NOT NULL,
    "image" JSONB,
    "owner" TEXT,
    "project_number" INTEGER,
    "collisions" "RecurrenceCollisions" NOT NULL,
    "rule" TEXT NOT NULL,
    "time_zone" TEXT NOT NULL,
    "first_start" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "terms" JSONB NOT NULL,
    "next_index" INTEGER,
    "next_day" TEXT,
    "next_start" TIMESTAMPTZ(3),
    "last_index" INTEGER,
    "skipped" JSONB NOT NULL DEFAULT '[]',
    "cancelled_at" TIMESTAMPTZ(3),

    CONSTRAINT "recurrences_pkey" PRIMARY KEY ("number")
);

-- CreateIndex
CREATE INDEX "recurrences_project_number_number_idx" ON "recurrences"("project_number", "number");

-- CreateIndex
CREATE UNIQUE INDEX "leases_recurrence_number_occurrence_key" ON "leases"("recurrence_number", "occurrence") WHERE (recurrence_number IS NOT NULL);

-- AddForeignKey
ALTER TABLE "leases" ADD CONSTRAINT "leases_recurrence_number_fkey" FOREIGN KEY ("recurrence_number") REFERENCES "recurrences"("number") ON DELETE SET NULL ON UPDATE CASCADE;
