-- CreateEnum
CREATE TYPE "NodeState" AS ENUM ('UP', 'DRAINING', 'DOWN');

-- AlterTable
ALTER TABLE "nodes" ADD COLUMN     "state" "NodeState" NOT NULL DEFAULT 'UP';

-- CreateTable
CREATE TABLE "maintenance" (
    "name" TEXT NOT NULL,
    "nodes" JSONB NOT NULL,
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "maintenance_pkey" PRIMARY KEY ("name")
);

-- CreateIndex
CREATE INDEX "maintenance_ends_at_idx" ON "maintenance"("ends_at");
