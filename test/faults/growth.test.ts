/** A site that has run for years starts as fast as a new one and needs as little memory. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { demonstrationSite } from '../../src/config/index.ts';
import { defaultSchedulerConfig } from '../../src/core/index.ts';
import { SimulatedAdapter } from '../../src/enactment/index.ts';
import { createEngine, type Engine } from '../../src/engine/index.ts';
import type { Store } from '../../src/engine/ports.ts';
import { apiOn } from '../api/fixture.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { bestEffort, minutes, principal } from '../support/engine-harness.ts';
import { insertPast } from './past.ts';

const leases = Number(process.env.LEASEGRAPH_PAST_LEASES ?? 20_000);
const mebibyte = 2 ** 20;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const startOn = (store: Store): Promise<Engine> =>
  createEngine({
    ...{ store, adapter: new SimulatedAdapter(), scheduler: defaultSchedulerConfig },
    site: { name: 'past', spec: demonstrationSite.spec },
  });

/** The time until it serves (ms), and its memory then (bytes). */
const measureStart = async (store: Store): Promise<{ time: number; heap: number }> => {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const begun = performance.now();
  const engine = await startOn(store);
  const time = performance.now() - begun;
  collectGarbage();
  const heap = process.memoryUsage().heapUsed - before;
  await engine.stop();
  return { time, heap };
};

describeEachDatabase('a long past', (database) => {
  it(`of ${leases} leases costs neither memory nor time at the start, and is read page by page`, {
    timeout: 600_000,
  }, async () => {
    const store = await (await database.create()).open();
    // The first start creates the site and warms up.
    await measureStart(store);
    const young = await measureStart(store);
    await insertPast(store.prisma, leases);
    await measureStart(store);
    const old = await measureStart(store);
    const shown = [young, old].map(({ time, heap }) => `${time.toFixed(0)} ms and ${(heap / mebibyte).toFixed(1)} MiB`);
    console.log(`start with no lease: ${shown[0]}; with ${leases} finished ones: ${shown[1]}`);
    expect(old.heap - young.heap).toBeLessThan(4 * mebibyte);
    expect(old.time).toBeLessThan(10 * young.time + 500);

    const engine = await startOn(store);
    const { leaseNumber } = await engine.submit('request', bestEffort(minutes(1)), { principal });
    expect(leaseNumber).toBe(leases + 1);
    await engine.stop();

    const api = apiOn(store.prisma);
    const page = async (position: string) => {
      const begun = performance.now();
      const { data, errors } = await api.ask(
        `{ leases(${position}) { totalCount pageInfo { endCursor startCursor } nodes { number machines { node { hostname } } reservations { nodes { start } } events { nodes { sequence } } } } }`,
      );
      expect(errors).toBeUndefined();
      return { ...data.leases, time: performance.now() - begun };
    };
    const numbers = ({ nodes }: { nodes: { number: number }[] }) =>
      nodes.map(({ number }) => number).sort((a, b) => a - b);
    const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
    await page('first: 50');
    const first = await page('first: 50');
    const last = await page('last: 50');
    const lastButOne = await page(`last: 50, before: "${last.pageInfo.startCursor}"`);
    expect(first.totalCount).toBe(leases + 1);
    const seen = [...numbers(last), ...numbers(lastButOne)].sort((a, b) => a - b);
    expect([range(leases - 98, leases + 1), range(1, 100)]).toContainEqual(seen);
    expect(new Set([...numbers(first), ...seen]).size).toBe(150);
    expect(last.nodes[0].events.nodes.length).toBeGreaterThan(1);
    console.log(
      `50 leases from the beginning: ${first.time.toFixed(0)} ms; from the end: ${lastButOne.time.toFixed(0)} ms`,
    );
    expect(lastButOne.time).toBeLessThan(10 * first.time + 500);
  });
});
