-- AlterTable
ALTER TABLE "nodes" ADD COLUMN     "state_cause" JSONB;

-- CreateTable
CREATE TABLE "action_nodes" (
    "node_number" INTEGER NOT NULL,
    "action_number" BIGINT NOT NULL,

    CONSTRAINT "action_nodes_pkey" PRIMARY KEY ("node_number","action_number")
);

-- CreateIndex
CREATE INDEX "action_nodes_action_number_idx" ON "action_nodes"("action_number");

-- AddForeignKey
ALTER TABLE "action_nodes" ADD CONSTRAINT "action_nodes_action_number_fkey" FOREIGN KEY ("action_number") REFERENCES "actions"("number") ON DELETE CASCADE ON UPDATE CASCADE;

-- Actions that are there already.
INSERT INTO "action_nodes" ("node_number", "action_number")
SELECT DISTINCT node::int, number
FROM "actions", jsonb_array_elements("targets") AS target,
  LATERAL (VALUES (target ->> 'node'), (target ->> 'toNode')) AS concerned(node)
WHERE node IS NOT NULL;
