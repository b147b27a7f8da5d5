import { join } from 'node:path';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { databaseEnvironments } from '../support/databases.ts';
import { postgresMissing } from '../support/postgres.ts';
import { build, run, type ServerProcess, scratchDirectory, startServer } from '../support/server-process.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';

const scratch = scratchDirectory();
beforeAll(build);
afterAll(scratch.remove);

const authorization = 'Bearer a-token-for-tests';
const ask = async (url: string, query: string) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization, connection: 'close' },
    body: JSON.stringify({ query }),
  });
  return (await response.json()) as { data: Record<string, never> };
};
const requestLease = `mutation {
  requestLease(input: { type: BEST_EFFORT, duration: "PT1H", machines: [{ count: 1, capacity: [{ type: "CPU", amount: 1 }, { type: "Memory", amount: 1 }] }] }) {
    lease { number } userErrors { code }
  }
}`;
const metrics = async ({ url }: ServerProcess) =>
  (await fetch(new URL('/metrics', url), { headers: { authorization, connection: 'close' } })).text();

const start = async (name: string, environment: Record<string, string>) => {
  const server = await startServer({ dataDir: join(scratch.path, name), environment });
  onTestFinished(async () => {
    await server.stop('SIGKILL');
  });
  return server;
};

describe.each(databaseEnvironments)('API workers (%s database)', (kind, missing, database) => {
  beforeEach(({ skip }) => skip(missing !== null, missing ?? ''));

  it('answer on one port beside the process that schedules, and are replaced when they die', async () => {
    const server = await start(`workers-${kind}`, { ...(await database()), LEASEGRAPH_API_WORKERS: '2' });
    expect(server.output().match(/Listening on/g)).toHaveLength(1);
    const client = createClient({
      url: server.url.replace('http', 'ws'),
      webSocketImpl: WebSocket,
      connectionParams: { authorization },
      retryAttempts: 100,
      shouldRetry: () => true,
      retryWait: () => new Promise((resolve) => setTimeout(resolve, 50)),
    });
    const events = client.iterate<{ leaseEvents: { sequence: number; lease: { number: number } } }>({
      query: 'subscription { leaseEvents(after: 0) { sequence lease { number } } }',
    });
    for (let number = 1; number <= 10; number += 1) {
      expect(await ask(server.url, requestLease)).toMatchObject({
        data: { requestLease: { lease: { number } } },
      });
    }
    expect((await events.next()).value?.data?.leaseEvents).toMatchObject({
      sequence: 1,
      lease: { number: 1 },
    });
    await events.return?.(undefined);
    await client.dispose();
    // Those of all processes, whichever answers, once both have started.
    let text = '';
    const showsBoth = async () => {
      text = await metrics(server);
      return text.includes('leasegraph_role{role="standby"} 2\n');
    };
    await expect.poll(showsBoth).toBe(true);
    for (const thread of ['engine', 'api-1', 'api-2']) {
      expect(text).toMatch(
        new RegExp(`^leasegraph_event_loop_delay_seconds\\{thread="${thread}",quantile="1"\\}`, 'm'),
      );
    }
    expect(text).toMatch(/^leasegraph_graphql_seconds_count\{operation="mutation",outcome="ok"\} 10$/m);
    expect(text).toMatch(/^leasegraph_ready 1$/m);
    expect(text).toMatch(/^leasegraph_commands_total\{kind="request",outcome="accepted"\} 10$/m);

    const pids = new Set<string>();
    const seen = async () => {
      const [, pid = ''] = /^leasegraph_process_id (\d+)$/m.exec(await metrics(server)) ?? [];
      if (pid !== '') pids.add(pid);
      return pids.size;
    };
    await expect.poll(seen).toBe(2);
    const [victim] = pids;
    process.kill(Number(victim), 'SIGKILL');
    await expect.poll(seen).toBe(3);
    expect(await ask(server.url, '{ leases { totalCount } }')).toMatchObject({
      data: { leases: { totalCount: 10 } },
    });
    expect((await server.stop('SIGTERM')).code).toBe(0);
  });
});

describe.skipIf(postgresMissing !== null)('a server with the role api', () => {
  it('answers, and leaves the scheduling to another server', async () => {
    const postgres = await sharedPostgres();
    const environment = { DATABASE_URL: postgres.url(await postgres.createDatabase()) };
    const scheduler = await start('scheduler', environment);
    const api = await start('api', { ...environment, LEASEGRAPH_ROLE: 'api' });
    expect(await ask(api.url, requestLease)).toMatchObject({
      data: { requestLease: { lease: { number: 1 } } },
    });
    expect(await metrics(api)).toMatch(/^leasegraph_role\{role="standby"\} 1$/m);
    expect((await scheduler.stop('SIGTERM')).code).toBe(0);
    expect(await ask(api.url, '{ leases { totalCount } }')).toMatchObject({
      data: { leases: { totalCount: 1 } },
    });
    expect(await metrics(api)).toMatch(/^leasegraph_role\{role="writer"\} 0$/m);
    expect((await api.stop('SIGTERM')).code).toBe(0);
  });

  it('needs a database that another server has set up', async () => {
    expect(await run(['serve', '--role', 'api'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the role api needs DATABASE_URL'),
    });
  });
});
