import { defineConfig } from 'vitest/config';

export default defineConfig({
  // What Node.js loads as `graphql`. Vite would take its other build for our sources, and graphql refuses to be loaded twice.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    // Other suites' databases and processes share the machine: a test that waits for them is slow, not stuck.
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
