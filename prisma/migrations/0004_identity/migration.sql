-- CreateEnum
CREATE TYPE "Role" AS ENUM ('VIEWER', 'USER', 'OPERATOR', 'ADMIN');

-- AlterTable
ALTER TABLE "leases" ADD COLUMN     "owner" TEXT,
ADD COLUMN     "project_number" INTEGER;

-- CreateTable
CREATE TABLE "projects" (
    "number" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "quotas" JSONB NOT NULL DEFAULT '[]',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "projects_pkey" PRIMARY KEY ("number")
);

-- CreateTable
CREATE TABLE "tokens" (
    "number" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "role" "Role" NOT NULL,
    "projects" INTEGER[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "tokens_pkey" PRIMARY KEY ("number")
);

-- CreateTable
CREATE TABLE "audit_entries" (
    "number" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "principal" TEXT NOT NULL,
    "role" "Role" NOT NULL,
    "mutation" TEXT NOT NULL,
    "subject" TEXT,
    "outcome" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,

    CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("number")
);

-- CreateIndex
CREATE UNIQUE INDEX "projects_name_key" ON "projects"("name");

-- CreateIndex
CREATE UNIQUE INDEX "tokens_name_key" ON "tokens"("name");

-- CreateIndex
CREATE UNIQUE INDEX "tokens_hash_key" ON "tokens"("hash");

-- CreateIndex
CREATE INDEX "audit_entries_at_idx" ON "audit_entries"("at");

-- CreateIndex
CREATE INDEX "leases_project_number_number_idx" ON "leases"("project_number", "number") WHERE (project_number IS NOT NULL);
