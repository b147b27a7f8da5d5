import { defineConfig } from 'prisma/config';

// `prisma generate` looks for a schema engine that it never runs; any executable satisfies it, so nothing is downloaded.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;

export default defineConfig({ schema: 'prisma/schema.prisma', migrations: { path: 'prisma/migrations' } });
