/** README's first lease, as somebody copies it into a shell. */
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build, type ServerProcess, scratchDirectory, startServer } from '../support/server-process.ts';

const root = join(import.meta.dirname, '../..');
const missing = ['bash', 'curl'].filter((tool) => spawnSync(tool, ['--version']).status !== 0);
const commands = [...readFileSync(join(root, 'README.md'), 'utf8').matchAll(/^```sh\n([\s\S]*?)^```/gm)]
  .map(([, text = '']) => text)
  .filter((text) => text.includes('curl') || text.includes('--name first'));

describe.skipIf(missing.length > 0)(
  `README, in a shell${missing.length === 0 ? '' : `: ${missing.join(' and ')} not on this machine`}`,
  () => {
    const scratch = scratchDirectory();
    let server: ServerProcess;

    beforeAll(async () => {
      await build();
      const environment = { LEASEGRAPH_ADMIN_TOKEN: undefined };
      server = await startServer({ dataDir: join(scratch.path, 'data'), environment });
    });
    afterAll(async () => {
      await server.stop('SIGKILL');
      scratch.remove();
    });

    /** With the address and the data directory of the server that runs here. */
    const here = (text: string) =>
      text
        .replaceAll('http://127.0.0.1:4000/graphql', server.url)
        .replaceAll('data/admin-token', join(scratch.path, 'data/admin-token'))
        .replaceAll('npm run --silent leasegraph --', 'node dist/leasegraph.js')
        // A subscription never ends by itself.
        .replaceAll('curl -N', 'curl -N --no-progress-meter --max-time 2');
    const shell = async (text: string) => {
      const env = {
        ...process.env,
        LEASEGRAPH_SERVER: new URL(server.url).origin,
        LEASEGRAPH_DATA_DIR: join(scratch.path, 'data'),
      };
      const run = promisify(execFile)('bash', ['-c', here(text)], { cwd: root, env });
      const { stdout } = await run.catch((error: { stdout: string }) => error);
      return stdout;
    };

    it('requests leases with curl and with the command line, and watches them', async () => {
      expect(commands).toHaveLength(3);
      const [curl = '', cli = '', watch = ''] = commands;
      expect(JSON.parse(await shell(curl))).toMatchObject({
        data: { requestLease: { lease: { number: 1 }, userErrors: [] } },
      });
      expect(await shell(cli)).toContain('2');
      const events = await shell(watch);
      for (const number of [1, 2]) {
        expect(events).toMatch(new RegExp(`"to":"ACTIVE","lease":\\{"number":${number}\\}`));
      }
    });
  },
);
