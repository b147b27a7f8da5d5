-- CreateEnum
CREATE TYPE "LeaseType" AS ENUM ('BEST_EFFORT', 'ADVANCE_RESERVATION', 'IMMEDIATE', 'DEADLINE');

-- CreateEnum
CREATE TYPE "LeaseState" AS ENUM ('NEW', 'PENDING', 'REJECTED', 'SCHEDULED', 'QUEUED', 'CANCELLED', 'PREPARING', 'READY', 'ACTIVE', 'SUSPENDING', 'SUSPENDED_PENDING', 'SUSPENDED_QUEUED', 'SUSPENDED_SCHEDULED', 'MIGRATING', 'RESUMING', 'RESUMED_READY', 'DONE', 'FAILED', 'REJECTED_BY_USER');

-- CreateEnum
CREATE TYPE "ReservationKind" AS ENUM ('VM', 'SHUTDOWN', 'SUSPENSION', 'RESUMPTION', 'MEMORY_MIGRATION', 'DISK_MIGRATION', 'IMAGE_TRANSFER');

-- CreateEnum
CREATE TYPE "ReservationState" AS ENUM ('SCHEDULED', 'ACTIVE', 'DONE', 'CANCELLED');

-- CreateEnum
CREATE TYPE "ActionKind" AS ENUM ('PREPARE', 'START', 'SHUTDOWN', 'SUSPEND', 'RESUME', 'MIGRATE', 'DESTROY');

-- CreateEnum
CREATE TYPE "ActionState" AS ENUM ('PENDING', 'SUCCEEDED', 'FAILED');

-- CreateTable
CREATE TABLE "writers" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "epoch" BIGINT NOT NULL DEFAULT 0,
    "last_commit" UUID,

    CONSTRAINT "writers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sites" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "name" TEXT NOT NULL,
    "resource_types" TEXT[],
    "last_lease_id" INTEGER NOT NULL DEFAULT 0,
    "last_reservation_id" BIGINT NOT NULL DEFAULT 0,
    "last_event_sequence" BIGINT NOT NULL DEFAULT 0,
    "last_action_id" BIGINT NOT NULL DEFAULT 0,
    "last_rank" BIGINT NOT NULL DEFAULT 0,
    "cached_images" JSONB NOT NULL DEFAULT '[]',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sites_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "nodes" (
    "number" INTEGER NOT NULL,
    "hostname" TEXT NOT NULL,
    "capacity" JSONB NOT NULL,

    CONSTRAINT "nodes_pkey" PRIMARY KEY ("number")
);

-- CreateTable
CREATE TABLE "leases" (
    "number" INTEGER NOT NULL,
    "name" TEXT,
    "type" "LeaseType" NOT NULL,
    "state" "LeaseState" NOT NULL,
    "reason_code" TEXT,
    "reason_message" TEXT,
    "preemptible" BOOLEAN NOT NULL,
    "submitted_at" TIMESTAMPTZ(3) NOT NULL,
    "requested_start" TIMESTAMPTZ(3),
    "deadline" TIMESTAMPTZ(3),
    "original_duration" BIGINT NOT NULL,
    "duration" BIGINT NOT NULL,
    "known_duration" BIGINT,
    "accumulated" BIGINT NOT NULL DEFAULT 0,
    "image_name" TEXT,
    "image_size_mb" BIGINT,
    "actual_start" TIMESTAMPTZ(3),
    "planned_start" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "queue_rank" BIGINT,
    "is_future" BOOLEAN NOT NULL DEFAULT false,
    "placement" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "leases_pkey" PRIMARY KEY ("number")
);

-- CreateTable
CREATE TABLE "lease_machines" (
    "lease_number" INTEGER NOT NULL,
    "index" INTEGER NOT NULL,
    "amounts" JSONB NOT NULL,
    "node_number" INTEGER,

    CONSTRAINT "lease_machines_pkey" PRIMARY KEY ("lease_number","index")
);

-- CreateTable
CREATE TABLE "reservations" (
    "number" BIGINT NOT NULL,
    "lease_number" INTEGER NOT NULL,
    "kind" "ReservationKind" NOT NULL,
    "state" "ReservationState" NOT NULL,
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,
    "plan" JSONB NOT NULL,

    CONSTRAINT "reservations_pkey" PRIMARY KEY ("number")
);

-- CreateTable
CREATE TABLE "reservation_nodes" (
    "reservation_number" BIGINT NOT NULL,
    "node_number" INTEGER NOT NULL,
    "amounts" JSONB NOT NULL,

    CONSTRAINT "reservation_nodes_pkey" PRIMARY KEY ("reservation_number","node_number")
);

-- CreateTable
CREATE TABLE "lease_events" (
    "sequence" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "lease_number" INTEGER NOT NULL,
    "from_state" "LeaseState" NOT NULL,
    "to_state" "LeaseState" NOT NULL,
    "reason_code" TEXT,
    "reason_message" TEXT,

    CONSTRAINT "lease_events_pkey" PRIMARY KEY ("sequence")
);

-- CreateTable
CREATE TABLE "actions" (
    "number" BIGINT NOT NULL,
    "kind" "ActionKind" NOT NULL,
    "state" "ActionState" NOT NULL DEFAULT 'PENDING',
    "lease_number" INTEGER NOT NULL,
    "reservation_number" BIGINT,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "deadline" TIMESTAMPTZ(3),
    "targets" JSONB NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "error" TEXT,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "actions_pkey" PRIMARY KEY ("number")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "principal" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "input_hash" TEXT NOT NULL,
    "lease_number" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("principal","key")
);

-- CreateTable
CREATE TABLE "commands" (
    "id" UUID NOT NULL,
    "payload" JSONB NOT NULL,
    "answer" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "answered_at" TIMESTAMPTZ(3),

    CONSTRAINT "commands_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "nodes_hostname_key" ON "nodes"("hostname");

-- CreateIndex
CREATE INDEX "leases_state_idx" ON "leases"("state");

-- CreateIndex
CREATE INDEX "leases_submitted_at_number_idx" ON "leases"("submitted_at", "number");

-- CreateIndex
CREATE INDEX "leases_queue" ON "leases"("submitted_at", "queue_rank") WHERE (queue_rank IS NOT NULL);

-- CreateIndex
CREATE INDEX "leases_live" ON "leases"("number") WHERE (state <> ALL (ARRAY['REJECTED'::"LeaseState", 'CANCELLED'::"LeaseState", 'DONE'::"LeaseState", 'FAILED'::"LeaseState", 'REJECTED_BY_USER'::"LeaseState"]));

-- CreateIndex
CREATE INDEX "lease_machines_node_number_idx" ON "lease_machines"("node_number");

-- CreateIndex
CREATE INDEX "reservations_lease_number_number_idx" ON "reservations"("lease_number", "number");

-- CreateIndex
CREATE INDEX "reservations_starts_at_number_idx" ON "reservations"("starts_at", "number");

-- CreateIndex
CREATE INDEX "reservations_ends_at_idx" ON "reservations"("ends_at");

-- CreateIndex
CREATE INDEX "reservations_live" ON "reservations"("number") WHERE (state = ANY (ARRAY['SCHEDULED'::"ReservationState", 'ACTIVE'::"ReservationState"]));

-- CreateIndex
CREATE INDEX "reservation_nodes_node_number_reservation_number_idx" ON "reservation_nodes"("node_number", "reservation_number");

-- CreateIndex
CREATE INDEX "lease_events_lease_number_sequence_idx" ON "lease_events"("lease_number", "sequence");

-- CreateIndex
CREATE INDEX "actions_pending" ON "actions"("number") WHERE (state = 'PENDING');

-- CreateIndex
CREATE INDEX "actions_lease_number_idx" ON "actions"("lease_number");

-- CreateIndex
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys"("created_at");

-- CreateIndex
CREATE INDEX "commands_created_at_idx" ON "commands"("created_at");

-- AddForeignKey
ALTER TABLE "lease_machines" ADD CONSTRAINT "lease_machines_lease_number_fkey" FOREIGN KEY ("lease_number") REFERENCES "leases"("number") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "lease_machines" ADD CONSTRAINT "lease_machines_node_number_fkey" FOREIGN KEY ("node_number") REFERENCES "nodes"("number") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reservations" ADD CONSTRAINT "reservations_lease_number_fkey" FOREIGN KEY ("lease_number") REFERENCES "leases"("number") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reservation_nodes" ADD CONSTRAINT "reservation_nodes_reservation_number_fkey" FOREIGN KEY ("reservation_number") REFERENCES "reservations"("number") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reservation_nodes" ADD CONSTRAINT "reservation_nodes_node_number_fkey" FOREIGN KEY ("node_number") REFERENCES "nodes"("number") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "lease_events" ADD CONSTRAINT "lease_events_lease_number_fkey" FOREIGN KEY ("lease_number") REFERENCES "leases"("number") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma cannot express

-- The one row that every commit passes through.
INSERT INTO "writers" ("id", "epoch") VALUES (1, 0);

-- AddCheck
ALTER TABLE "writers" ADD CONSTRAINT "writers_one_row" CHECK ("id" = 1);
ALTER TABLE "sites" ADD CONSTRAINT "sites_one_row" CHECK ("id" = 1);
ALTER TABLE "leases" ADD CONSTRAINT "leases_durations" CHECK ("original_duration" >= 0 AND "duration" >= 0 AND "known_duration" >= 0 AND "accumulated" >= 0);
ALTER TABLE "lease_machines" ADD CONSTRAINT "lease_machines_index" CHECK ("index" >= 1);
ALTER TABLE "reservations" ADD CONSTRAINT "reservations_interval" CHECK ("ends_at" >= "starts_at");

-- Every commit changes these rows: room on their pages lets PostgreSQL do it in place.
ALTER TABLE "writers" SET (fillfactor = 10);
ALTER TABLE "sites" SET (fillfactor = 10);
