-- AlterTable
ALTER TABLE "actions" ADD COLUMN     "output" TEXT,
ADD COLUMN     "started_at" TIMESTAMPTZ(3);
