import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { databaseEnvironments } from '../support/databases.ts';
import { build, type ServerProcess, scratchDirectory, startServer } from '../support/server-process.ts';

const scratch = scratchDirectory();
beforeAll(build);
afterAll(scratch.remove);

const ask = async (server: ServerProcess, query: string, variables: object = {}) => {
  const response = await fetch(server.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${server.token}` },
    body: JSON.stringify({ query, variables }),
  });
  return (await response.json()) as { data: Record<string, never>; errors?: unknown };
};
const get = (server: ServerProcess, path: string) =>
  fetch(new URL(path, server.url), { headers: { authorization: `Bearer ${server.token}` } });

const requestLease = `mutation ($name: String) {
  requestLease(input: { type: BEST_EFFORT, name: $name, duration: "PT1H", machines: [{ count: 1, capacity: [{ type: "CPU", amount: 1 }, { type: "Memory", amount: 1 }] }] }) {
    lease { number } userErrors { code }
  }
}`;

/** An admission policy that does what the name of a lease says: in the thread of the engine. */
const policy = () => {
  const path = join(scratch.path, 'policy.mjs');
  writeFileSync(
    path,
    `export default {
      admit({ name }) {
        if (name === 'exit') process.exit(7);
        if (name === 'spin') for (const end = Date.now() + 3000; Date.now() < end; );
        return true;
      },
    };`,
  );
  return path;
};

let count = 0;
const start = async (dataDir: string, environment: Record<string, string>) => {
  const config = {
    site: { nodes: [{ count: 2, capacity: { CPU: 100, Memory: 1024 } }] },
    scheduler: { admission: policy() },
  };
  const server = await startServer({ dataDir, config, environment });
  onTestFinished(async () => {
    await server.stop('SIGKILL');
  });
  return server;
};

describe.each(databaseEnvironments)('the thread of the engine (%s database)', (_kind, missing, database) => {
  beforeEach(({ skip }) => skip(missing !== null, missing ?? ''));

  it('does not keep readers waiting, however long the scheduler is busy', async () => {
    const server = await start(join(scratch.path, `data-${++count}`), await database());
    await ask(server, '{ leases { nodes { number } } }');
    let answered = false;
    const slow = ask(server, requestLease, { name: 'spin' }).finally(() => {
      answered = true;
    });
    for (let round = 0; round < 10; round += 1) {
      expect((await get(server, '/livez')).status).toBe(200);
      expect((await get(server, '/readyz')).status).toBe(200);
      expect(await ask(server, '{ leases { nodes { number } } serverTime }')).not.toHaveProperty('errors');
    }
    expect(answered).toBe(false);
    expect(await slow).toMatchObject({ data: { requestLease: { lease: { number: 1 } } } });
  });

  it('is measured beside the main thread', async () => {
    const server = await start(join(scratch.path, `data-${++count}`), await database());
    await ask(server, requestLease, { name: 'one' });
    const text = await (await get(server, '/metrics')).text();
    for (const line of [
      /^leasegraph_event_loop_delay_seconds\{thread="main",quantile="0.99"\} \d/m,
      /^leasegraph_event_loop_delay_seconds\{thread="engine",quantile="0.99"\} \d/m,
      /^leasegraph_role\{role="writer"\} 1$/m,
      /^leasegraph_commands_total\{kind="request",outcome="accepted"\} 1$/m,
      /^leasegraph_engine_silence_seconds \d/m,
      /^leasegraph_graphql_seconds_count\{operation="mutation",outcome="ok"\} 1$/m,
      /^nodejs_version_info/m,
    ]) {
      expect(text).toMatch(line);
    }
    expect(text.match(/^# TYPE leasegraph_event_loop_delay_seconds/gm)).toHaveLength(1);
  });

  it('takes the process with it when it dies, and nothing acknowledged is lost', async () => {
    const environment = await database();
    const dataDir = join(scratch.path, `data-${++count}`);
    const server = await start(dataDir, environment);
    for (let number = 1; number <= 20; number += 1) {
      expect(await ask(server, requestLease, { name: 'one' })).toMatchObject({
        data: { requestLease: { lease: { number } } },
      });
    }
    const lost = ask(server, requestLease, { name: 'exit' }).then(
      ({ data }) => data,
      () => null,
    );
    const ended = await server.stop('SIGCONT');
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('the thread of the engine has ended (exit code 7)');
    expect([null, { requestLease: { lease: null, userErrors: [{ code: 'UNAVAILABLE' }] } }]).toContainEqual(await lost);
    const again = await start(dataDir, environment);
    expect(await ask(again, '{ leases { totalCount } }')).toMatchObject({
      data: { leases: { totalCount: 20 } },
    });
  });
});
