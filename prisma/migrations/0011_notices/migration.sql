-- CreateEnum
CREATE TYPE "NoticeKind" AS ENUM ('LEASE_ENDS_SOON', 'LEASE_PREEMPTED', 'LEASE_DISPLACED', 'LEASE_MOVED', 'LEASE_LATE', 'LEASE_FAILED', 'NODE_DOWN', 'NODE_UP', 'MAINTENANCE_SOON');

-- CreateEnum
CREATE TYPE "WebhookState" AS ENUM ('ACTIVE', 'PAUSED', 'DISABLED');

-- CreateEnum
CREATE TYPE "DeliveryState" AS ENUM ('PENDING', 'SUCCEEDED', 'FAILED');

-- AlterTable
ALTER TABLE "leases" ADD COLUMN     "end_notice" BIGINT;

-- AlterTable
ALTER TABLE "writers" ADD COLUMN     "notices_given_until" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "notices" (
    "sequence" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "kind" "NoticeKind" NOT NULL,
    "lease_number" INTEGER,
    "project_number" INTEGER,
    "node_number" INTEGER,
    "maintenance" TEXT,
    "message" TEXT NOT NULL,
    "reason_code" TEXT,
    "reason_message" TEXT,
    "reason_data" JSONB,
    "facts" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "notices_pkey" PRIMARY KEY ("sequence")
);

-- CreateTable
CREATE TABLE "webhooks" (
    "number" SERIAL NOT NULL,
    "url" TEXT NOT NULL,
    "kinds" "NoticeKind"[],
    "project_number" INTEGER,
    "owner" TEXT NOT NULL,
    "secret" TEXT NOT NULL,
    "state" "WebhookState" NOT NULL DEFAULT 'ACTIVE',
    "pause_reason" TEXT,
    "paused_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhooks_pkey" PRIMARY KEY ("number")
);

-- CreateTable
CREATE TABLE "webhook_deliveries" (
    "number" BIGSERIAL NOT NULL,
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "webhook_number" INTEGER NOT NULL,
    "notice_sequence" BIGINT,
    "topic" INTEGER NOT NULL,
    "state" "DeliveryState" NOT NULL DEFAULT 'PENDING',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "next_attempt_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_attempt_at" TIMESTAMPTZ(3),
    "delivered_at" TIMESTAMPTZ(3),
    "status" INTEGER,
    "error" TEXT,

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("number")
);

-- CreateIndex
CREATE INDEX "webhook_deliveries_webhook_number_number_idx" ON "webhook_deliveries"("webhook_number", "number");

-- CreateIndex
CREATE INDEX "webhook_deliveries_notice_sequence_idx" ON "webhook_deliveries"("notice_sequence");

-- CreateIndex
CREATE INDEX "webhook_deliveries_pending" ON "webhook_deliveries"("webhook_number", "topic", "number") WHERE (state = 'PENDING');

-- CreateIndex
CREATE UNIQUE INDEX "webhook_deliveries_id_key" ON "webhook_deliveries"("id");

-- AddForeignKey
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_webhook_number_fkey" FOREIGN KEY ("webhook_number") REFERENCES "webhooks"("number") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_notice_sequence_fkey" FOREIGN KEY ("notice_sequence") REFERENCES "notices"("sequence") ON DELETE CASCADE ON UPDATE CASCADE;

