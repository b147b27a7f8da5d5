/** Two servers on one PostgreSQL under load: one writes; the other is a standby that serves requests and takes over. */
import { afterEach, expect, it, onTestFailed } from 'vitest';
import { postgresMissing } from '../support/postgres.ts';
import { ask, insist } from './client.ts';
import { faultSeed } from './random.ts';
import type { Server } from './server.ts';
import { overSse, overWebSocket, type SeenEvent } from './subscriber.ts';
import { metrics, roleOf, World } from './world.ts';

const timeout = 300_000;

let world: World | null = null;
afterEach(async () => {
  await world?.dispose();
  world = null;
});

const begin = async (): Promise<{ world: World; writer: Server; standby: Server }> => {
  const seed = faultSeed();
  onTestFailed(() => console.error(`run it again with LEASEGRAPH_FAULT_SEED=${seed}`));
  const present = await World.begin({
    ...{ database: 'server', servers: 2, callers: 4, pause: 100, failingPercent: 0, seed },
  });
  world = present;
  const writer = await present.writer();
  const standby = present.servers.find((server) => server !== writer) as Server;
  await until(async () => (await roleOf(standby)) === 'standby');
  return { world: present, writer, standby };
};

const until = async (condition: () => Promise<boolean>): Promise<void> => {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
};

/** The time until the other server writes and answers (ms). */
const takeOver = async (present: World, other: Server): Promise<number> => {
  const begun = performance.now();
  await present.writer([other]);
  const took = performance.now() - begun;
  await present.load.progress();
  return took;
};

/** Repeating a request with its key returns the same lease. */
const repeatAll = async (present: World, server: Server): Promise<void> => {
  const keyed = present.load.acknowledged.filter(({ input }) => input.idempotencyKey !== undefined);
  expect(keyed.length).toBeGreaterThan(0);
  const mutation =
    'mutation ($input: RequestLeaseInput!) { payload: requestLease(input: $input) { lease { number } userErrors { code } } }';
  const { signal } = new AbortController();
  const answers = keyed.slice(-20).map(async ({ lease, input }) => {
    const again = await insist([server], mutation, { input }, present.random, signal);
    expect(again).toEqual({ lease: { number: lease }, userErrors: [] });
  });
  await Promise.all(answers);
};

const withServer = postgresMissing === null ? '' : `: ${postgresMissing}`;

it.skipIf(postgresMissing !== null)(
  `a standby serves queries and subscriptions, and has the writer carry out its mutations${withServer}`,
  { timeout },
  async () => {
    const { standby, world: present } = await begin();
    const url = await standby.url(AbortSignal.timeout(120_000));
    const request = (key: string) =>
      ask<{ requestLease: { lease: { number: number; state: string } } }>(
        url,
        `mutation { requestLease(input: { type: BEST_EFFORT, duration: "PT5M", idempotencyKey: "${key}", name: "${key}", machines: [
           { count: 1, capacity: [{ type: "CPU", amount: 100 }, { type: "Memory", amount: 512 }] }] }) { lease { number state } } }`,
        {},
      );
    const answer = await request('through the standby');
    if ('lost' in answer) throw new Error(answer.lost);
    const { number } = answer.data.requestLease.lease;
    expect(await request('through the standby')).toMatchObject({
      data: { requestLease: { lease: { number } } },
    });
    const seen = await ask<{ lease: { name: string } }>(url, `{ lease(number: ${number}) { name } }`, {});
    expect(seen).toMatchObject({ data: { lease: { name: 'through the standby' } } });
    for (const protocol of [overSse, overWebSocket]) {
      const { results, close } = protocol(
        url,
        'subscription { leaseEvents(after: 0) { sequence to lease { number } } }',
      );
      const path: string[] = [];
      for await (const { data } of results) {
        const { lease, to } = (data as { leaseEvents: SeenEvent }).leaseEvents;
        if (lease.number === number) path.push(to);
        if (path.at(-1) === 'DONE') break;
      }
      await close();
      expect(path[0]).toBe('PENDING');
    }
    expect(await roleOf(standby)).toBe('standby');
    expect(await present.end()).toEqual([]);
  },
);

it.skipIf(postgresMissing !== null)(
  `the standby takes over from a writer that is killed, and nothing is lost or doubled${withServer}`,
  { timeout },
  async () => {
    const { standby, world: present, writer } = await begin();
    await writer.kill({ again: false });
    const took = await takeOver(present, standby);
    console.log(`taken over ${Math.round(took)} ms after SIGKILL`);
    await repeatAll(present, standby);
    writer.start();
    await until(async () => (await roleOf(writer)) === 'standby');
    await repeatAll(present, writer);
    expect(await present.end()).toEqual([]);
  },
);

it.skipIf(postgresMissing !== null)(
  `a writer that was paused cannot commit when it wakes up, and becomes the standby${withServer}`,
  { timeout },
  async () => {
    const { standby, world: present, writer } = await begin();
    const epoch = (await metrics(writer)).get('leasegraph_writer_epoch') ?? 0;
    writer.signal('SIGSTOP');
    const took = await takeOver(present, standby);
    console.log(`taken over ${Math.round(took)} ms after SIGSTOP`);
    const commits = async () => (await metrics(writer)).get('leasegraph_commit_seconds_count');
    // Its sockets hold the requests that callers sent meanwhile.
    for (let answers = 0; answers < 5; answers += 1) await present.load.progress();
    writer.signal('SIGCONT');
    await until(async () => (await roleOf(writer)) === 'standby');
    const after = await commits();
    expect((await metrics(standby)).get('leasegraph_writer_epoch')).toBeGreaterThan(epoch);
    await repeatAll(present, writer);
    expect(await commits()).toBe(after);
    expect(await roleOf(standby)).toBe('writer');
    expect(await present.end()).toEqual([]);
  },
);
