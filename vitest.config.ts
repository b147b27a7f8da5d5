import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => join('test', file));

/** Measure time or memory, or follow an accelerated plan on real hosts: nothing else runs beside them. */
const measuring = ['test/faults/growth.test.ts', 'test/e2e/console-speed.test.ts', 'test/e2e/libvirt.test.ts'];
/** Start servers, browsers and hosts, and wait for them more than they work. */
const processes = files.filter(
  (file) => /^test\/(e2e\/|faults\/|enactment\/libvirt)/.test(file) && !measuring.includes(file),
);
/** Replace modules: a worker that has loaded those already would not. */
const isolated = files.filter((file) => /\bvi\.(mock|doMock)\(/.test(readFileSync(file, 'utf8')));

/** More than processors: suites wait, for a database, a server, a browser or a machine. */
const processors = availableParallelism();

export default defineConfig({
  // What Node.js loads as `graphql`. Vite would take its other build for our sources, and graphql refuses to be loaded twice.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    // Guards against a test that hangs. On a busy machine, which also runs other suites, a test takes many times as long.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    setupFiles: ['test/support/seed.ts'],
    globalSetup: ['test/support/postgres-setup.ts'],
    projects: [
      // `npm run test:fast` runs these two.
      // Loading the sources takes longer than most suites: a worker loads them once, for one suite after another.
      project('shared', {
        include: ['test/**/*.test.ts'],
        exclude: [...processes, ...isolated, ...measuring],
        isolate: false,
        maxWorkers: processors + 1,
      }),
      project('isolated', { include: isolated, isolate: true, maxWorkers: processors + 1 }),
      project('processes', { include: processes, maxWorkers: processors + 2, sequence: { groupOrder: 1 } }),
      project('measuring', { include: measuring, maxWorkers: 1, sequence: { groupOrder: 2 } }),
    ],
  },
});

function project(name: string, test: object) {
  return { extends: true as const, test: { name, ...test } };
}
