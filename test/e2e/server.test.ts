import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createSocketClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { freePort, type PostgresServer, postgresMissing } from '../support/postgres.ts';
import {
  build,
  launchServer,
  launchWithNpm,
  program,
  run,
  type ServerOptions,
  type ServerProcess,
  scratchDirectory,
  serverEnvironment,
  startServer,
} from '../support/server-process.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';

const scratch = scratchDirectory();
let count = 0;
const newDataDir = () => join(scratch.path, `data-${++count}`);

beforeAll(build);
afterAll(scratch.remove);

/** Stopped when the test is over, if it has not stopped by then. */
async function start(options: ServerOptions): Promise<ServerProcess> {
  const server = await startServer(options);
  onTestFinished(async () => {
    await server.stop('SIGKILL');
  });
  return server;
}

const fast = {
  site: { nodes: [{ count: 2, capacity: { CPU: 100, Memory: 1024 } }] },
  clock: { speed: 1_000 },
};

async function ask(server: ServerProcess, query: string, variables: object = {}) {
  const response = await fetch(server.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${server.token}` },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as { data: never; errors?: unknown };
  expect(errors).toBeUndefined();
  return data as Record<string, never>;
}

const requestLease = `mutation ($duration: Duration!) {
  requestLease(input: { type: IMMEDIATE, duration: $duration, machines: [{ count: 2, capacity: [{ type: "CPU", amount: 100 }, { type: "Memory", amount: 512 }] }] }) {
    lease { id number } userErrors { code message }
  }
}`;
const watch =
  'subscription ($lease: ID) { leaseEvents(after: 0, leaseId: $lease) { sequence from to lease { state } } }';
type Event = { leaseEvents: { sequence: number; from: string; to: string; lease: { state: string } } };

async function pathOf(events: AsyncIterable<{ data?: unknown }>): Promise<string[]> {
  const path: string[] = [];
  for await (const { data } of events) {
    const { leaseEvents: event } = data as Event;
    path.push(event.to);
    if (event.to === 'DONE') {
      expect(event.lease.state).toBe('DONE');
      break;
    }
  }
  return path;
}

const overSse = (server: ServerProcess, lease: string) => {
  const client = createSseClient({ url: server.url, headers: { authorization: `Bearer ${server.token}` } });
  onTestFinished(() => client.dispose());
  return pathOf(client.iterate({ query: watch, variables: { lease } }) as AsyncIterable<{ data?: unknown }>);
};

const overWebSocket = (server: ServerProcess, lease: string) => {
  const client = createSocketClient({
    url: server.url.replace('http', 'ws'),
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${server.token}` },
  });
  onTestFinished(() => client.dispose() as Promise<void>);
  return pathOf(client.iterate({ query: watch, variables: { lease } }));
};

describe('a server, as its users start it', () => {
  it('makes a token and a site at the first start, and finds everything at the second', async () => {
    const dataDir = newDataDir();
    const environment = { LEASEGRAPH_ADMIN_TOKEN: undefined };
    const first = await start({ dataDir, environment });
    expect(first.output()).toContain('site "demonstration" (4 nodes) on its embedded database');
    expect(first.token).toMatch(/^lg_/);
    expect(statSync(join(dataDir, 'admin-token')).mode & 0o777).toBe(0o600);
    const page = await fetch(first.url, { headers: { accept: 'text/html' } });
    expect(await page.text()).toContain('assets/graphiql-');
    const { requestLease: made } = await ask(first, requestLease, { duration: 'P1D' });
    expect(made).toMatchObject({ lease: { number: 1 }, userErrors: [] });
    const before = await ask(
      first,
      '{ leases { nodes { number state actualStart events { nodes { sequence to } } } } nodes { nodes { hostname available { amount } } } }',
    );

    const stopped = await first.stop('SIGINT');
    expect(stopped).toMatchObject({ code: 0, stderr: '' });

    const second = await start({ dataDir, environment });
    expect(second.output()).toContain('The admin token is in');
    expect(second.output()).not.toContain(first.token);
    const server = { ...second, token: first.token };
    expect(
      await ask(
        server,
        '{ leases { nodes { number state actualStart events { nodes { sequence to } } } } nodes { nodes { hostname available { amount } } } }',
      ),
    ).toEqual(before);
    expect((await second.stop('SIGTERM')).code).toBe(0);
  });

  it('takes a lease through its life, seen over both kinds of subscription', async () => {
    const server = await start({ dataDir: newDataDir(), config: fast });
    const { requestLease: made } = await ask(server, requestLease, { duration: 'PT30M' });
    const { id } = (made as unknown as { lease: { id: string } }).lease;
    const [sse, webSocket] = await Promise.all([overSse(server, id), overWebSocket(server, id)]);
    expect(sse).toEqual(['PENDING', 'SCHEDULED', 'READY', 'ACTIVE', 'DONE']);
    expect(webSocket).toEqual(sse);
  });

  it('cuts subscriptions without completing them and stops', async () => {
    const server = await start({ dataDir: newDataDir(), config: fast });
    const response = await fetch(server.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        authorization: `Bearer ${server.token}`,
      },
      body: JSON.stringify({ query: 'subscription { leaseEvents { sequence } }' }),
    });
    const text = response.text();
    const stopped = await server.stop();
    expect(stopped.code).toBe(0);
    expect(await text).not.toContain('event: complete');
  });

  it('ends soon after a signal though its start has not come to an end', async () => {
    const policy = join(scratch.path, 'endless.mjs');
    writeFileSync(policy, 'console.log("loading"); setInterval(() => {}, 1_000); await new Promise(() => {});');
    const environment = serverEnvironment({
      dataDir: newDataDir(),
      config: { scheduler: { admission: policy } },
    });
    const { child, ended } = launchServer(environment);
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout as Readable, 'data');
    child.kill('SIGTERM');
    expect((await ended).code).toBe(143);
  });

  it('ends with npm when npm is told to end, after it has stopped', async () => {
    const { child, ended, listening } = launchWithNpm(serverEnvironment({ dataDir: newDataDir() }));
    let isOver = false;
    onTestFinished(() => {
      if (!isOver) process.kill(-(child.pid ?? 0), 'SIGKILL');
    });
    const url = await listening;
    expect((await fetch(new URL('/livez', url))).status).toBe(200);
    child.kill('SIGTERM');
    // The server, too, has closed what it prints to.
    const { code } = await ended;
    isOver = true;
    expect(code).toBe(0);
    await expect(fetch(new URL('/livez', url))).rejects.toThrow();
  });

  it('has its data directory for itself', async () => {
    const dataDir = newDataDir();
    const first = await start({ dataDir, config: fast });
    const second = await run(['serve'], serverEnvironment({ dataDir, config: fast }));
    expect(second).toMatchObject({ code: 1, stdout: '' });
    expect(second.stderr.trim().split('\n')).toHaveLength(1);
    expect(second.stderr).toContain(`The data directory ${dataDir} is in use by process ${first.pid}`);
    expect(await ask(first, '{ serverTime }')).toHaveProperty('serverTime');
  });

  it.runIf(process.platform === 'linux')(
    'says so when its data directory cannot be made, also where Node.js would try for ever',
    async () => {
      for (const token of [{}, { LEASEGRAPH_ADMIN_TOKEN: 'given' }]) {
        const environment = { PORT: '0', LEASEGRAPH_DATA_DIR: '/proc/none/data', ...token };
        for (const command of ['serve', 'migrate']) {
          const { code, stderr } = await run([command], environment);
          expect([code, stderr], command).toEqual([
            1,
            "leasegraph: /proc/none/data: the data directory cannot be created: ENOENT: no such file or directory, mkdir '/proc/none' [FILE_UNREADABLE]\n",
          ]);
        }
      }
    },
  );

  it.runIf(existsSync('/dev/full'))('goes on when what it prints and logs cannot be written', async () => {
    const full = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(full));
    const port = await freePort();
    const environment = serverEnvironment({
      dataDir: newDataDir(),
      environment: { PORT: String(port), LEASEGRAPH_LOG_LEVEL: 'debug' },
    });
    const child = launchServer(environment, ['ignore', full, full]).child;
    onTestFinished(() => void child.kill('SIGKILL'));
    const server = { url: `http://127.0.0.1:${port}/graphql`, token: 'a-token-for-tests' } as ServerProcess;
    await vi.waitFor(async () => expect((await fetch(new URL('/readyz', server.url))).status).toBe(200), 20_000);
    for (const number of [1, 2, 3]) {
      expect(await ask(server, requestLease, { duration: 'PT1S' })).toMatchObject({
        requestLease: { lease: { number } },
      });
    }
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('a command that waits for what never comes says so', async () => {
    const policy = join(scratch.path, 'waits.mjs');
    writeFileSync(policy, 'await new Promise(() => {});');
    const option = `scheduling.policy-admission=${policy}`;
    expect(await run(['simulate', 'docs/examples/first.lwf', '--set', option])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'leasegraph: the command waits for something that never happens (in the module of a policy?)\n',
    });
  });

  it.runIf(existsSync('/dev/full'))('a command whose answer cannot be written says so', async () => {
    const trace = 'docs/examples/first.lwf';
    const command = `"${process.execPath}" "${program}" simulate ${trace} > /dev/full`;
    const { status, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^leasegraph: standard output cannot be written: ENOSPC[^\n]*\n$/);
  });

  it('says so when its port is in use, and has touched nothing', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const dataDir = newDataDir();
    const { code, stderr } = await run(['serve'], serverEnvironment({ dataDir, environment: { PORT: String(port) } }));
    expect([code, stderr]).toEqual([
      1,
      `leasegraph: port ${port} of 127.0.0.1 is in use by another process. Stop it, or set PORT to another port.\n`,
    ]);
    expect(existsSync(dataDir)).toBe(false);
  });

  it('says so when the database is out of reach, without its password', async () => {
    const environment = { DATABASE_URL: 'postgresql://user:hunter2@127.0.0.1:1/db' };
    const dataDir = newDataDir();
    const { code, stderr } = await run(['serve'], serverEnvironment({ dataDir, environment }));
    expect(code).toBe(1);
    // The next start creates a token, and shows it.
    expect(existsSync(join(dataDir, 'admin-token'))).toBe(false);
    expect(stderr).toMatch(/^leasegraph: [^\n]*127\.0\.0\.1[^\n]*\n$/);
    expect(stderr).not.toContain('hunter2');
  });

  it('names the key that the configuration gets wrong', async () => {
    const { code, stderr } = await run(
      ['serve'],
      serverEnvironment({ dataDir: newDataDir(), config: { clock: { sped: 2 } } }),
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(/^leasegraph: \S+:1: clock\.sped: unknown key; did you mean "speed"\? \[UNKNOWN_KEY\]\n$/);
  });

  it('does not take another site for the one that it has', async () => {
    const dataDir = newDataDir();
    await (await start({ dataDir, config: fast })).stop();
    const config = { ...fast, site: { ...fast.site, name: 'other' } };
    const { code, stderr } = await run(['serve'], serverEnvironment({ dataDir, config }));
    expect(code).toBe(1);
    expect(stderr).toContain('it is called "default", not "other"');
    const types = { nodes: [{ count: 2, capacity: { CPU: 100, Memory: 1024, GPU: 1 } }] };
    const other = await run(['serve'], serverEnvironment({ dataDir, config: { ...fast, site: types } }));
    expect(other.code).toBe(1);
    expect(other.stderr).toContain('its resource types are CPU, Memory, without GPU');
    // Without a site in the configuration it goes on with the one that it has.
    const server = await start({ dataDir, config: { clock: fast.clock } });
    expect(await ask(server, '{ nodes { totalCount } }')).toEqual({ nodes: { totalCount: 2 } });
  });
});

describe.skipIf(postgresMissing !== null)(
  `a server on PostgreSQL${postgresMissing ? `: ${postgresMissing}` : ''}`,
  () => {
    let postgres: PostgresServer;
    beforeAll(async () => {
      postgres = await sharedPostgres();
    });

    it('keeps everything there, over restarts and other data directories', async () => {
      const environment = { DATABASE_URL: postgres.url(await postgres.createDatabase()) };
      const first = await start({ dataDir: newDataDir(), config: fast, environment });
      expect(first.output()).toContain('on a PostgreSQL server');
      const { requestLease: made } = await ask(first, requestLease, { duration: 'PT30M' });
      const { id } = (made as unknown as { lease: { id: string } }).lease;
      expect(await overSse(first, id)).toEqual(['PENDING', 'SCHEDULED', 'READY', 'ACTIVE', 'DONE']);
      const checked = await run(['check'], { ...environment, LEASEGRAPH_DATA_DIR: newDataDir() });
      expect(checked).toMatchObject({
        code: 0,
        stdout: 'Site "default": 0 live leases with 0 reservations; 0 problems.\n',
      });
      expect((await first.stop()).code).toBe(0);
      const second = await start({ dataDir: newDataDir(), config: fast, environment });
      expect(await ask(second, '{ lease(number: 1) { state } }')).toEqual({ lease: { state: 'DONE' } });
    });
  },
);

describe('the command line beside a running server', () => {
  let server: ServerProcess;
  let environment: Record<string, string>;
  const trace = join(scratch.path, 'trace.swf');
  const cli = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(args, environment);
    return { code, stdout, stderr };
  };

  beforeAll(async () => {
    const config = { ...fast, simulation: { acceptKnownDurations: true } };
    server = await startServer({ dataDir: newDataDir(), config });
    environment = { LEASEGRAPH_SERVER: new URL(server.url).origin, LEASEGRAPH_TOKEN: server.token };
  });
  afterAll(async () => {
    await server?.stop('SIGKILL');
  });

  it('requests, lists and cancels leases', async () => {
    const waited = await cli(
      'request',
      '--machines',
      '2 CPU:50 Memory:512',
      '--duration',
      '10m',
      '--name',
      'mine',
      '--wait',
    );
    expect(waited).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/ 1 {2}mine {2}BEST_EFFORT {2}DONE/),
    });
    expect(waited.stderr).toContain('READY -> ACTIVE');
    const busy = await cli(
      'request',
      '--type',
      'immediate',
      '--machines',
      '2 CPU:100 Memory:1024',
      '--duration',
      '100d',
      '--json',
    );
    expect(JSON.parse(busy.stdout)).toMatchObject({ number: 2, type: 'IMMEDIATE' });
    // The first one that waits has a reservation in the future, the second one stays in the queue.
    for (const duration of ['PT1H', '2h']) {
      const waiting = await cli(
        'request',
        '--machines',
        '1 CPU:10',
        '--machines',
        '1 CPU:10 Memory:1',
        '--duration',
        duration,
      );
      expect(waiting.code).toBe(0);
    }
    expect((await cli('queue')).stdout).toMatch(/^POSITION .*\n +3 .*\n +1 +4 .*QUEUED/);
    const nodes = await cli('nodes');
    expect(nodes.stdout).toMatch(/node-1 +UP +CPU:100 Memory:1024 +CPU:0 Memory:0/);
    const listed = JSON.parse((await cli('leases', '--state', 'done', '--type', 'best-effort', '--json')).stdout);
    expect(listed.map(({ number }: { number: number }) => number)).toEqual([1]);
    expect((await cli('leases', '--last', '2')).stdout.split('\n')).toHaveLength(4);
    const cancelled = await cli('cancel', '4', '3', '2', '77', '1');
    expect(cancelled.code).toBe(1);
    expect(cancelled.stdout).toMatch(/ 4 .*CANCELLED[\s\S]* 3 .*CANCELLED[\s\S]* 2 .*CANCELLED/);
    expect(cancelled.stderr).toMatch(
      /^leasegraph: lease 77: there is no such lease \[LEASE_NOT_FOUND\]; Lease 1 has ended\. \[LEASE_ENDED\]\n$/,
    );
    expect((await cli('queue')).stdout).toBe('The queue is empty.\n');
  });

  it('fails when what was asked for was not done, and says why', async () => {
    const rejected = await cli('request', '--machines', '3 CPU:100 Memory:1', '--duration', '1h');
    expect(rejected).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^leasegraph: lease \d+ is REJECTED: .* \[LARGER_THAN_SITE\]\n$/),
      stdout: '',
    });
    const refused = await cli('request', '--machines', '1 GPU:1', '--duration', '1h');
    expect(refused.stderr).toBe(
      'leasegraph: --machines: The site has no resource "GPU". Its resources are CPU, Memory. [INVALID_REQUEST]\n',
    );
    expect(await cli('request', '--machines', 'two', '--duration', '1h')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Expected COUNT TYPE:AMOUNT'),
    });
    expect(await cli('leases', '--token', 'wrong')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('does not know this token'),
    });
    expect(await cli('leases', '--server', 'http://127.0.0.1:9')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no server answers'),
    });
    expect(await cli('cancel', 'x')).toMatchObject({ code: 2 });
  });

  it('replays a trace as it is simulated, within the clock', async () => {
    // One after the other: submit, -, run, processors, -, -, -, requested processors, requested time.
    const jobs = [
      [0, 600, 2, 900],
      [0, 300, 1, 300],
      [300, 900, 1, 900],
      [1200, 60, 2, 3600],
      [1800, 600, 1, 600],
    ];
    const lines = jobs.map(([submit, runs, processors, asked], index) =>
      [index + 1, submit, -1, runs, processors, -1, -1, processors, asked, -1, 1, 1, 1, 1, 1, -1, -1, -1].join(' '),
    );
    const { writeFileSync } = await import('node:fs');
    writeFileSync(trace, `${lines.join('\n')}\n`);
    const output = join(scratch.path, 'replayed.json');
    const slower = await start({
      dataDir: newDataDir(),
      config: { ...fast, clock: { speed: 100 }, simulation: { acceptKnownDurations: true } },
    });
    // Much less than the 40 minutes of the trace, and nine seconds of the machine's time.
    const replayed = await run(['replay', trace, '--compare', '--tolerance', '900s', '--output', output, '--json'], {
      LEASEGRAPH_SERVER: new URL(slower.url).origin,
      LEASEGRAPH_TOKEN: slower.token,
    });
    expect(replayed).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('5 of 5 leases came out as simulated'),
    });
    expect(JSON.parse(replayed.stdout)).toHaveProperty('summary');
    const result = JSON.parse(readFileSync(output, 'utf8'));
    expect(
      result.leases.map(({ id, state, accumulated }: Record<string, unknown>) => [id, state, accumulated]),
    ).toEqual([
      [1, 'DONE', 600],
      [2, 'DONE', 300],
      [3, 'DONE', 900],
      [4, 'DONE', 60],
      [5, 'DONE', 600],
    ]);
    expect(result.leases[0].reservations[0]).toMatchObject({
      kind: 'VM',
      nodes: { 1: expect.any(Number), 2: expect.any(Number) },
    });
    expect(
      result.events
        .filter(([, lease]: [number, number]) => lease === 1)
        .map((event: unknown[]) => event[3])
        .at(-1),
    ).toBe('DONE');
  });

  it('migrates and checks a database', async () => {
    const own = { LEASEGRAPH_DATA_DIR: newDataDir() };
    expect(await run(['check'], own)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`There is no embedded database in ${own.LEASEGRAPH_DATA_DIR}.`),
    });
    expect(existsSync(own.LEASEGRAPH_DATA_DIR)).toBe(false);
    expect(await run(['migrate'], own)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/Applied: 0001|up to date/),
    });
    expect(await run(['migrate'], own)).toMatchObject({ code: 0, stdout: 'The database is up to date.\n' });
    expect(await run(['check'], own)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no site yet'),
    });
  });
});
