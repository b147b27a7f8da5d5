/** A configuration file that differs from the stored site, on both databases. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { cli as runHere } from '../cli/terminal.ts';
import { postgresMissing } from '../support/postgres.ts';
import {
  build,
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

beforeAll(build);
afterAll(scratch.remove);

const node = (hostname: string, cpu = 100, more: object = {}) => ({
  ...{ hostname, capacity: { CPU: cpu, Memory: 1024 } },
  ...more,
});
const first = { site: { name: 'lab', nodes: [node('a'), node('b'), node('c')] } };
/** `b` has more, `c` is gone and `d` is new. */
const second = {
  site: { name: 'lab', nodes: [node('a'), node('b', 200, { labels: { rack: '7' } }), node('d')] },
  scheduler: { backfilling: 'off' },
};
const differences =
  '+ d CPU:100 Memory:1024\n~ b capacity CPU:100 Memory:1024 -> CPU:200 Memory:1024, labels (none) -> rack=7\n- c CPU:100 Memory:1024\n';

describe.each(['embedded', 'PostgreSQL'])('a changed site in the configuration, %s', (kind) => {
  const isSkipped = kind === 'PostgreSQL' && postgresMissing !== null;

  async function database(): Promise<Pick<ServerOptions, 'dataDir' | 'environment'>> {
    const dataDir = join(scratch.path, `site-${++count}`);
    if (kind === 'embedded') return { dataDir };
    const postgres = await sharedPostgres();
    return { dataDir, environment: { DATABASE_URL: postgres.url(await postgres.createDatabase()) } };
  }

  async function start(options: ServerOptions): Promise<ServerProcess> {
    const server = await startServer(options);
    onTestFinished(async () => {
      await server.stop('SIGKILL');
    });
    return server;
  }

  function written(config: object): string {
    const file = join(scratch.path, `${++count}.json`);
    writeFileSync(file, JSON.stringify(config));
    return file;
  }

  const cli = async (server: ServerProcess, ...args: string[]) => {
    const { err, out, status } = await runHere(
      ...[...args, '--server', new URL('/', server.url).href, '--token', server.token],
    );
    return { code: status, stdout: out, stderr: err };
  };
  const nodes = async (server: ServerProcess): Promise<string[]> =>
    JSON.parse((await cli(server, 'nodes', '--json')).stdout).map(
      ({ hostname, capacity }: { hostname: string; capacity: { amount: number }[] }) =>
        `${hostname} ${capacity[0]?.amount}`,
    );

  it.skipIf(isSkipped)('is shown, and applied only on demand', async () => {
    const on = await database();
    await (await start({ ...on, config: first })).stop();
    const checked = await run(['check'], serverEnvironment({ ...on, config: second }));
    expect(checked).toMatchObject({ code: 0 });
    expect(checked.stdout).toContain(
      `The site in the configuration differs from the stored one, which is used:\n${differences}`,
    );
    const server = await start({ ...on, config: second });
    expect(server.output()).toContain('(3 nodes)');
    expect(server.errors()).toContain('the site in the configuration differs from the stored one');
    expect(await nodes(server)).toEqual(['a 100', 'b 100', 'c 100']);

    const file = written({ ...second, scheduler: { backfilling: 'conservative' } });
    const diff = await cli(server, 'site', 'diff', '--config', file);
    expect(diff).toMatchObject({
      code: 0,
      stdout: `${differences}~ scheduler.backfilling "off" -> "conservative" (when the server starts with the file)\n`,
    });
    expect((await cli(server, 'site', 'diff', '--config', file, '--exit-code')).code).toBe(1);
    expect((await cli(server, 'site', 'apply', '--config', file, '--dry-run')).stdout).toBe(diff.stdout);
    expect(await nodes(server)).toEqual(['a 100', 'b 100', 'c 100']);

    // All nodes are in use: what can be done is done, and the rest is named.
    const machines = ['--machines', '3 CPU:100 Memory:512', '--duration', '1h', '--type', 'immediate'];
    expect((await cli(server, 'request', ...machines)).code).toBe(0);
    const refused = await cli(server, 'site', 'apply', '--config', file, '--prune');
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain('d: added\nb: not capacity');
    expect(refused.stdout).toContain('c: not removed: ');
    expect(refused.stdout.match(/\[NODE_IN_USE\]/g)).toHaveLength(2);
    expect(refused.stderr).toBe('leasegraph: 2 of 3 changes were refused\n');
    expect(await nodes(server)).toEqual(['a 100', 'b 100', 'c 100', 'd 100']);

    expect((await cli(server, 'cancel', '1')).code).toBe(0);
    const applied = await cli(server, 'site', 'apply', '--config', file);
    expect(applied.code).toBe(0);
    expect(applied.stdout).toContain('c: kept, although it is not in the file (--prune removes it)\n');
    expect(await nodes(server)).toEqual(['a 100', 'b 200', 'c 100', 'd 100']);
    expect((await cli(server, 'site', 'apply', '--config', file, '--prune')).stdout).toBe('c: removed\n');
    expect(await nodes(server)).toEqual(['a 100', 'b 200', 'd 100']);
    const same = written(second);
    expect((await cli(server, 'site', 'diff', '--config', same, '--exit-code')).stdout).toBe('No differences.\n');
  });

  it.skipIf(isSkipped)('is applied at the start with --apply-site', async () => {
    const on = await database();
    await (await start({ ...on, config: first })).stop();
    const apply = (mode: string) => ({
      ...on,
      environment: { ...on.environment, LEASEGRAPH_APPLY_SITE: mode },
    });
    const server = await start({ ...apply('apply'), config: second });
    expect(await nodes(server)).toEqual(['a 100', 'b 200', 'c 100', 'd 100']);
    expect(server.errors()).toContain('nodes that are not in the configuration are kept');
    await server.stop();
    const pruned = await start({ ...apply('prune'), config: second });
    expect(pruned.output()).toContain('(3 nodes)');
    expect(await nodes(pruned)).toEqual(['a 100', 'b 200', 'd 100']);
    await pruned.stop();
    // A node that was removed does not come back, and nothing differs any more.
    const again = await start({ ...on, config: second });
    expect(again.errors()).not.toContain('differs');
    expect(await nodes(again)).toEqual(['a 100', 'b 200', 'd 100']);
  });
});
