-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "quota_usage" JSONB NOT NULL DEFAULT '[]';
