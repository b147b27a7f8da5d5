/**
 * Imports point one way; docs/architecture.md draws what this table says. A new arrow or library is a decision: make it
 * here.
 */
import { describe, expect, test } from 'vitest';
import { type Import, roomOf, type Source, sources } from './sources.ts';

const core = 'src/core/index.ts';
const ports = 'src/engine/ports.ts';
const prismaClient = 'src/store/prisma/';

/**
 * What each room may import: folders and files of the project (a folder ends with `/`), libraries, and Node.js itself
 * (`node:`).
 */
const allowed: Readonly<Record<string, readonly string[]>> = {
  core: [],
  engine: [core, 'node:', 'luxon', 'pino', 'prom-client'],
  simulation: [core, 'node:', 'saxes'],
  enactment: [core, ports, 'node:', 'luxon', 'pino', 'saxes', 'zod'],
  store: [core, ports, 'node:', '@prisma/adapter-pg', '@prisma/driver-adapter-utils', 'pg', 'zod'],
  identity: [core, ports, prismaClient, 'node:', 'jose'],
  notices: [core, ports, prismaClient, 'src/engine/async.ts', 'node:', 'pino', 'prom-client'],
  api: [
    core,
    ports,
    prismaClient,
    'src/identity/index.ts',
    'src/notices/index.ts',
    '@pothos/core',
    '@pothos/plugin-relay',
    'dataloader',
    'graphql',
    'luxon',
  ],
  server: [
    ports,
    'src/identity/index.ts',
    'src/engine/async.ts',
    'src/api/index.ts',
    'node:',
    '@graphql-yoga/render-graphiql',
    '@whatwg-node/fetch',
    'graphql',
    'graphql-ws',
    'graphql-yoga',
    'pino',
    'pino-pretty',
    'prom-client',
    'ws',
  ],
  config: [core, 'src/notices/addresses.ts', 'src/server/limits.ts', 'node:', 'luxon', 'yaml', 'zod'],
  cli: [
    core,
    'package.json',
    'src/config/',
    'src/enactment/',
    'src/engine/index.ts',
    'src/main.ts',
    'src/server/logging.ts',
    'src/simulation/',
    'src/store/index.ts',
    'node:',
    'commander',
    'graphql-sse',
    'graphql-ws',
    'luxon',
    'ws',
  ],
  runtime: [
    core,
    'src/config/index.ts',
    'src/enactment/index.ts',
    'src/engine/index.ts',
    'src/notices/index.ts',
    'src/server/logging.ts',
    'src/store/index.ts',
    prismaClient,
    'node:',
    '@opentelemetry/api',
    '@opentelemetry/exporter-trace-otlp-http',
    '@opentelemetry/resources',
    '@opentelemetry/sdk-trace-base',
    'pino',
    'prom-client',
  ],
  'main.ts': ['src/', 'pino', 'prom-client'],
};

const isWithin = (to: string, entry: string): boolean => {
  if (entry.endsWith('/') || entry === 'node:') return to.startsWith(entry);
  return to === entry || to.startsWith(`${entry}/`);
};

const isAllowed = (source: Source, { to, own }: Import): boolean =>
  (own && roomOf(to) === source.room) || (allowed[source.room] ?? []).some((entry) => isWithin(to, entry));

describe('imports', () => {
  test('every room has its place in the table', () => {
    expect([...new Set(sources.map((source) => source.room))].sort()).toEqual(Object.keys(allowed).sort());
  });

  test.each(Object.keys(allowed))('%s imports only what it may', (room) => {
    const wrong = sources
      .filter((source) => source.room === room)
      .flatMap((source) =>
        source.imports.filter((each) => !isAllowed(source, each)).map((each) => `${source.path} -> ${each.to}`),
      );
    expect(wrong).toEqual([]);
  });

  test('the table allows nothing that is not needed', () => {
    const unneeded = Object.entries(allowed).flatMap(([room, entries]) =>
      entries
        .filter(
          (entry) =>
            !sources.some((source) => source.room === room && source.imports.some(({ to }) => isWithin(to, entry))),
        )
        .map((entry) => `${room} -> ${entry}`),
    );
    expect(unneeded).toEqual([]);
  });

  test('no file imports itself through others, not even for a type', () => {
    const needs = new Map(
      sources.map(({ path, imports }) => [path, imports.filter(({ own }) => own).map(({ to }) => to)]),
    );
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (path: string, trail: readonly string[]): void => {
      const start = trail.indexOf(path);
      if (start >= 0) circles.push([...trail.slice(start), path].join(' -> '));
      if (start >= 0 || done.has(path)) return;
      for (const next of needs.get(path) ?? []) visit(next, [...trail, path]);
      done.add(path);
    };
    for (const path of needs.keys()) visit(path, []);
    expect(circles).toEqual([]);
  });
});
