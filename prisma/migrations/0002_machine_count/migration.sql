-- AlterTable
ALTER TABLE "leases" ADD COLUMN     "machine_count" INTEGER NOT NULL DEFAULT 0;

UPDATE "leases" SET "machine_count" = m.machines
FROM (SELECT "lease_number", count(*) AS machines FROM "lease_machines" GROUP BY "lease_number") AS m
WHERE m."lease_number" = "leases"."number";
