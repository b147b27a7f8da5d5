-- AlterTable
ALTER TABLE "commands" ADD COLUMN     "sequence" BIGSERIAL NOT NULL;
