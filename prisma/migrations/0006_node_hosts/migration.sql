-- AlterTable
ALTER TABLE "nodes" ADD COLUMN     "address" TEXT,
ADD COLUMN     "labels" JSONB NOT NULL DEFAULT '{}';
