import { expect, test } from 'vitest';
import { generated, read, sources } from './sources.ts';

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}
interface Lock {
  readonly packages: Readonly<Record<string, { readonly resolved?: string; readonly integrity?: string }>>;
}

const manifest = JSON.parse(read('package.json')) as Manifest;
const lock = JSON.parse(read('package-lock.json')) as Lock;

test('every dependency is pinned, and listed once', () => {
  const all = [...Object.entries(manifest.dependencies), ...Object.entries(manifest.devDependencies)];
  expect(all.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  const names = all.map(([name]) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test('a library that must not be loaded twice is installed once', () => {
  const copies = (name: string) =>
    Object.keys(lock.packages).filter(
      (path) => path === `node_modules/${name}` || path.endsWith(`/node_modules/${name}`),
    );
  for (const name of ['graphql', '@prisma/client', 'pg', 'luxon', 'zod', 'prom-client']) {
    expect(copies(name), name).toHaveLength(1);
  }
});

test('what the sources import is a dependency, and no dependency is there for nothing', () => {
  const packageOf = (to: string) => to.split('/', to.startsWith('@') ? 2 : 1).join('/');
  const imported = (typeOnly: boolean) => {
    const packages = [...sources, ...generated].flatMap(({ imports }) =>
      imports
        .filter(({ to, own, ...each }) => !own && !to.startsWith('node:') && each.typeOnly === typeOnly)
        .map(({ to }) => packageOf(to)),
    );
    return [...new Set(packages)].sort();
  };
  expect(imported(false)).toEqual(Object.keys(manifest.dependencies).sort());
  const known = { ...manifest.dependencies, ...manifest.devDependencies };
  expect(imported(true).filter((name) => !(name in known || `@types/${name}` in known))).toEqual([]);
});

test('the lock file names no address that packages come from', () => {
  const addressed = Object.entries(lock.packages).filter(([, { resolved }]) => resolved?.startsWith('http'));
  expect(addressed.map(([path]) => path)).toEqual([]);
});
