import { expect, test } from 'vitest';
import { SimulatedAdapter } from '../../src/enactment/index.ts';
import { measured } from '../../src/enactment/measured.ts';
import { RoutedAdapter } from '../../src/enactment/routed.ts';
import { hostSite } from '../../src/enactment/site.ts';
import type { Adapter } from '../../src/engine/ports.ts';

test('says of each node whether its adapter remembers and lists', () => {
  const site = hostSite(
    'test',
    [1, 2, 3, 4].map((number) => ({ number, hostname: `node-${number}`, capacity: { CPU: 100 } })),
  );
  const forgetful = new SimulatedAdapter();
  const remembering = Object.assign(new SimulatedAdapter(), { remembers: true, list: undefined });
  // One that drives nodes in different ways itself.
  const mixed = Object.assign(new SimulatedAdapter(), { on: () => ({ remembers: true }) });
  const adapter = new RoutedAdapter(
    [
      { choice: { hostnames: ['node-1'] }, adapter: forgetful },
      { choice: { hostnames: ['node-2'] }, adapter: remembering },
      { choice: { hostnames: ['node-3'] }, adapter: mixed },
    ],
    site,
  );
  expect(adapter.remembers).toBe(true);
  expect([1, 2, 3, 4].map((node) => adapter.on(node).remembers)).toEqual([false, true, true, false]);
  expect([1, 2, 3, 4].map((node) => adapter.on(node).list !== undefined)).toEqual([true, false, false, false]);
});

test('an adapter that throws keeps no other of the same site from being watched, from forgetting and from closing', async () => {
  const told: string[] = [];
  const part = (name: string, fails: boolean): { choice: object; adapter: Adapter } => {
    const tell = (what: string): void => {
      told.push(`${name} ${what}`);
      if (fails) throw new Error(`${name} cannot ${what}`);
    };
    const adapter = Object.assign(new SimulatedAdapter(), {
      watch: () => tell('watch'),
      forget: () => tell('forget'),
      close: () => {
        tell('close');
        return Promise.resolve();
      },
    });
    return { choice: {}, adapter };
  };
  const adapter = new RoutedAdapter(
    [part('first', true), part('second', false), part('third', true)],
    hostSite('test', []),
  );
  expect(() => adapter.watch(() => {}, new AbortController().signal)).toThrow('first cannot watch');
  expect(() => adapter.forget()).toThrow('first cannot forget');
  await expect(adapter.close()).rejects.toThrow('first cannot close');
  expect(told).toEqual(
    ['watch', 'forget', 'close'].flatMap((what) => [`first ${what}`, `second ${what}`, `third ${what}`]),
  );
});

test('asks the adapter of a node whether its host takes new machines, where it can say so', async () => {
  const site = hostSite(
    'test',
    [1, 2].map((number) => ({ number, hostname: `node-${number}`, capacity: { CPU: 100 } })),
  );
  const saying = Object.assign(new SimulatedAdapter(), { admits: async (node: number) => `not on ${node}` });
  const silent = { choice: {}, adapter: new SimulatedAdapter() };
  const adapter = new RoutedAdapter(
    [{ choice: { hostnames: ['node-1'] }, adapter: measured(saying, () => {}) }, silent],
    site,
  );
  const signal = AbortSignal.timeout(120_000);
  expect(await Promise.all([1, 2].map((node) => adapter.admits?.(node, signal)))).toEqual(['not on 1', null]);
  expect([1, 2].map((node) => adapter.on(node).admits !== undefined)).toEqual([true, false]);
  expect(new RoutedAdapter([silent], site).admits).toBeUndefined();
});
