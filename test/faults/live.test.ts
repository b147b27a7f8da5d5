/**
 * What goes on by itself while servers are killed: occurrences of recurrences become leases exactly once, and notices
 * are delivered to webhooks at least once, those of one lease in order, and none is lost.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFailed, onTestFinished } from 'vitest';
import { encodeGlobalId } from '../../src/engine/ports.ts';
import { startReceiver } from '../notices/receiver.ts';
import { postgresMissing, startPostgres } from '../support/postgres.ts';
import { build, scratchDirectory, serverEnvironment } from '../support/server-process.ts';
import { insist, token, type UserError } from './client.ts';
import { answered } from './outcome/outcome.ts';
import { faultSeed, Random } from './random.ts';
import { Server } from './server.ts';

/** A busy machine takes many times as long. */
const timeout = 600_000;

interface Payload {
  readonly userErrors: readonly UserError[];
}

class Site {
  readonly random: Random;

  private constructor(
    readonly servers: readonly Server[],
    seed: number,
  ) {
    this.random = new Random(seed);
  }

  /** One server on the embedded database, or two on PostgreSQL; disposed of when the test has finished. */
  static async begin(database: 'embedded' | 'server', config: object): Promise<Site> {
    const seed = faultSeed();
    await build();
    const scratch = scratchDirectory();
    onTestFinished(() => scratch.remove());
    const environment: Record<string, string> = { LEASEGRAPH_ADMIN_TOKEN: token };
    if (database === 'server') {
      const postgres = await startPostgres();
      onTestFinished(() => postgres.dispose());
      environment.DATABASE_URL = postgres.url(await postgres.createDatabase());
    }
    const options = { dataDir: `${scratch.path}/data`, config, environment };
    const names = database === 'server' ? ['server 1', 'server 2'] : ['server'];
    const servers = names.map((name) => new Server(name, serverEnvironment(options)));
    onTestFinished(async () => {
      await Promise.all(servers.map((server) => server.dispose()));
    });
    onTestFailed(() => {
      console.error(`run it again with LEASEGRAPH_FAULT_SEED=${seed}`);
      for (const { name, lastLines } of servers) console.error(`${name}:\n${lastLines.join('\n')}`);
    });
    for (const server of servers) server.start();
    return new Site(servers, seed);
  }

  /** Carries a mutation out, on one server after the other until it is answered. */
  async mutate(mutation: string, type: string, input: object): Promise<void> {
    const document = `mutation ($input: ${type}!) { payload: ${mutation}(input: $input) { userErrors { code message } } }`;
    const { signal } = new AbortController();
    const payload = await insist<Payload>(this.servers, document, { input }, this.random, signal);
    expect(payload?.userErrors).toEqual([]);
  }

  /** Asks until the answer is not lost. */
  async ask<T>(query: string, variables: object = {}): Promise<T> {
    for (;;) {
      const url = await this.random.pick(this.servers).url(AbortSignal.timeout(timeout));
      const answer = await answered<T>(url, query, variables).catch(() => null);
      if (answer !== null) return answer;
      await sleep(20);
    }
  }

  /** SIGKILL to one of the servers, which is started again. */
  kill(): Promise<void> {
    return this.random.pick(this.servers).kill();
  }
}

const leasesQuery = `query ($after: String) {
  leases(first: 100, after: $after) { nodes { occurrence recurrence { number } } pageInfo { hasNextPage endCursor } }
}`;

interface LeasesRead {
  readonly leases: {
    readonly nodes: readonly {
      readonly occurrence: number | null;
      readonly recurrence: { readonly number: number } | null;
    }[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  };
}

/** The indices of the occurrences that are leases, ascending, by recurrence. */
async function occurrences(site: Site): Promise<Map<number, number[]>> {
  const found = new Map<number, number[]>();
  for (let after: string | null = null, more = true; more; ) {
    const { leases }: LeasesRead = await site.ask<LeasesRead>(leasesQuery, { after });
    for (const { occurrence, recurrence } of leases.nodes) {
      if (occurrence === null || recurrence === null) continue;
      found.set(recurrence.number, [...(found.get(recurrence.number) ?? []), occurrence]);
    }
    after = leases.pageInfo.endCursor;
    more = leases.pageInfo.hasNextPage;
  }
  for (const indices of found.values()) indices.sort((a, b) => a - b);
  return found;
}

const recurrences = 6;
const kills = 2;

async function makesEachOccurrenceOnce(database: 'embedded' | 'server'): Promise<void> {
  // Three hours per second: a server may be away for a minute without missing the whole horizon.
  const site = await Site.begin(database, {
    ...{ clock: { speed: 10_800 }, adapter: { kind: 'dry-run' }, recurrences: { horizon: 'P20D' } },
  });
  const { serverTime } = await site.ask<{ serverTime: string }>('{ serverTime }');
  const firstDay = new Date(Date.parse(serverTime) + 10 * 86_400_000).toISOString().slice(0, 10);
  for (let count = 1; count <= recurrences; count += 1) {
    await site.mutate('createRecurrence', 'CreateRecurrenceInput', {
      ...{ rule: 'FREQ=DAILY', timeZone: 'Europe/Berlin', duration: 'PT30M', idempotencyKey: `r${count}` },
      firstStart: `${firstDay}T${String(3 * count).padStart(2, '0')}:00`,
      machines: [{ count: 1, capacity: [{ type: 'CPU', amount: 100 }] }],
    });
    if (count === 2) await site.kill();
  }
  const total = async () => [...(await occurrences(site)).values()].flat().length;
  for (let count = 1; count < kills; count += 1) {
    // Kills fall when occurrences are being made.
    const before = await total();
    while ((await total()) < before + 2) await sleep(20);
    await site.kill();
  }
  const before = await total();
  while ((await total()) < before + recurrences) await sleep(50);
  const made = await occurrences(site);
  expect([...made.keys()].sort()).toEqual(Array.from({ length: recurrences }, (_, index) => index + 1));
  for (const indices of made.values()) {
    expect(indices).toEqual(indices.map((_, position) => position + 1));
    expect(indices.length).toBeGreaterThan(8);
  }
  expect(site.servers.flatMap(({ strange }) => strange)).toEqual([]);
}

interface NoticesRead {
  readonly notices: {
    readonly nodes: readonly { readonly sequence: number }[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  };
}

const noticesQuery = `query ($after: String) {
  notices(first: 100, after: $after) { nodes { sequence } pageInfo { hasNextPage endCursor } }
}`;

async function noticeSequences(site: Site): Promise<number[]> {
  const found: number[] = [];
  for (let after: string | null = null, more = true; more; ) {
    const { notices }: NoticesRead = await site.ask<NoticesRead>(noticesQuery, { after });
    found.push(...notices.nodes.map(({ sequence }) => sequence));
    after = notices.pageInfo.endCursor;
    more = notices.pageInfo.hasNextPage;
  }
  return found;
}

async function deliversEachNotice(database: 'embedded' | 'server'): Promise<void> {
  const receiver = await startReceiver();
  const site = await Site.begin(database, {
    ...{ clock: { speed: 60 }, adapter: { kind: 'dry-run' }, notices: { endNotice: 'PT1H' } },
    webhooks: {
      allowHttp: true,
      allowedNetworks: ['127.0.0.0/8'],
      retryDelay: 'PT0.1S',
      maxRetryDelay: 'PT0.5S',
    },
  });
  /** The sequence numbers that were accepted, by lease (0: notices of nodes), in order; repetitions included. */
  const accepted = new Map<number, number[]>();
  receiver.answer = ({ body }) => {
    if (site.random.chance(0.2)) return 503;
    const topic = body.lease?.number ?? 0;
    accepted.set(topic, [...(accepted.get(topic) ?? []), body.sequence]);
    return 204;
  };
  await site.mutate('createWebhook', 'CreateWebhookInput', { url: receiver.url, idempotencyKey: 'hook' });
  for (let count = 1; count <= 6; count += 1) {
    await site.mutate('requestLease', 'RequestLeaseInput', {
      ...{ type: 'BEST_EFFORT', duration: 'PT2H', idempotencyKey: `lease ${count}` },
      machines: [{ count: 2, capacity: [{ type: 'CPU', amount: 300 }] }],
    });
  }
  for (let round = 1; round <= 8; round += 1) {
    const id = encodeGlobalId('ComputeNode', 1 + (round % 2));
    for (const state of ['DOWN', 'UP']) await site.mutate('setNodeState', 'SetNodeStateInput', { id, state });
    if (round % 3 === 1) await site.kill();
  }
  // Kills fall in the middle of deliveries, which go on until nothing is left.
  const all = await noticeSequences(site);
  expect(all.length).toBeGreaterThan(16);
  const delivered = () => new Set([...accepted.values()].flat());
  for (let left = all; left.length > 0; left = all.filter((sequence) => !delivered().has(sequence)))
    await receiver.received(receiver.requests.length + 1);
  expect([...accepted.keys()].length).toBeGreaterThan(1);
  for (const sequences of accepted.values()) {
    const first = sequences.filter((sequence, index) => sequences.indexOf(sequence) === index);
    expect(first).toEqual([...first].sort((a, b) => a - b));
    // Repeated at once, or never: what comes later waits for what comes before.
    expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
  }
  expect(site.servers.flatMap(({ strange }) => strange)).toEqual([]);
}

const withServer = `with two servers on PostgreSQL${postgresMissing ? `: ${postgresMissing}` : ''}`;

it('makes each occurrence once on the embedded database, whatever is killed', { timeout }, () =>
  makesEachOccurrenceOnce('embedded'),
);

it.skipIf(postgresMissing !== null)(`makes each occurrence once ${withServer}`, { timeout }, () =>
  makesEachOccurrenceOnce('server'),
);

it('delivers each notice, in order per lease, from the embedded database', { timeout }, () =>
  deliversEachNotice('embedded'),
);

it.skipIf(postgresMissing !== null)(`delivers each notice, in order per lease, ${withServer}`, { timeout }, () =>
  deliversEachNotice('server'),
);
