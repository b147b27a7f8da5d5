import { defineConfig } from 'vitest/config';

/** Suites that start servers, kill them, or measure time: one after the other, when the rest is done. */
const alone = ['test/e2e/**/*.test.ts', 'test/faults/**/*.test.ts', 'test/load/**/*.test.ts'];

export default defineConfig({
  // What Node.js loads as `graphql`. Vite would take its other build for our sources, and graphql refuses to be loaded twice.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    // Other suites' databases and processes share the machine: a test that waits for them is slow, not stuck.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    setupFiles: ['test/support/seed.ts'],
    globalSetup: ['test/support/postgres-setup.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'rooms',
          include: ['test/**/*.test.ts'],
          exclude: alone,
          maxWorkers: '100%',
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'processes',
          include: alone,
          testTimeout: 120_000,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
