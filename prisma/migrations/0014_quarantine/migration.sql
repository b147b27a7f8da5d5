-- AlterTable
ALTER TABLE "leases" ADD COLUMN     "is_quarantined" BOOLEAN NOT NULL DEFAULT false;

-- CreateIndex
CREATE INDEX "leases_quarantined" ON "leases"("number") WHERE (is_quarantined);
