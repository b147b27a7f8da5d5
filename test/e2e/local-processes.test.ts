/** README's leases as local processes, as somebody copies them into two terminals. */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { build, scratchDirectory } from '../support/server-process.ts';

const root = join(import.meta.dirname, '../..');
const example = 'docs/examples/local-processes';
const missing = ['bash', 'setsid', 'ps', 'tail'].filter((tool) => spawnSync('which', [tool]).status !== 0);
const blocks = [...readFileSync(join(root, 'README.md'), 'utf8').matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(
  ([, text = '']) => text,
);
const start = blocks.find((text) => text.includes(example)) ?? '';
const use = blocks.find((text) => text.includes('/tmp/leasegraph-processes')) ?? '';

/** Nothing of the environment that the tests themselves run in. */
const inherited = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(LEASEGRAPH_|DATABASE_URL|PORT$|HOST$|NODE_ENV$|VITEST)/.test(name),
  ),
);

async function until<T>(what: string, look: () => T | null | undefined | false): Promise<T> {
  for (const limit = Date.now() + 120_000; ; await sleep(50)) {
    const found = look();
    if (found) return found;
    if (Date.now() > limit) throw new Error(`${what} does not come`);
  }
}

describe.skipIf(missing.length > 0)(
  `local processes${missing.length === 0 ? '' : `: ${missing.join(' and ')} not on this machine`}`,
  () => {
    beforeAll(() => build());

    test('a process starts, stands still while a reservation runs, goes on, and ends', async () => {
      expect(start).toMatch(/^npm start -- --config \S+\/site\.yaml --data-dir \S+\n$/);
      const lines = use.trimEnd().split('\n');
      expect(lines.map((line) => line.replace(/ .*/, ''))).toEqual(['export', 'npm', 'npm', 'tail']);

      const scratch = scratchDirectory();
      const processes = join(scratch.path, 'processes');
      /** With folders of this test, and sooner. */
      const here = (text: string): string =>
        text
          .replaceAll(example, join(scratch.path, 'example'))
          .replaceAll('/tmp/local-processes', join(scratch.path, 'data'))
          .replaceAll('/tmp/leasegraph-processes', processes)
          .replace('--start +12s', '--start +6s')
          .replace('--duration 10s', '--duration 4s');
      cpSync(join(root, example), join(scratch.path, 'example'), { recursive: true });
      const machine = join(scratch.path, 'example', 'machine');
      writeFileSync(machine, here(readFileSync(machine, 'utf8')));

      /** A terminal: what it prints, and its end with all that it started. */
      const terminal = (text: string, env: object) => {
        const child = spawn('bash', ['-c', here(text)], {
          ...{ cwd: root, detached: true, env: { ...inherited, ...env } },
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        let printed = '';
        for (const stream of [child.stdout, child.stderr])
          stream.on('data', (chunk: Buffer) => {
            printed += chunk.toString();
          });
        return {
          printed: () => printed,
          end: () => {
            if (child.exitCode === null) process.kill(-(child.pid ?? 0), 'SIGKILL');
          },
        };
      };
      const pidFiles = () =>
        [1, 2].map((node) => join(processes, String(node), '1-1', 'process')).filter((path) => existsSync(path));
      onTestFinished(() => {
        for (const file of pidFiles()) process.kill(-Number(readFileSync(file, 'utf8').split(' ')[0]), 'SIGKILL');
        scratch.remove();
      });
      const server = terminal(start, { PORT: '0' });
      onTestFinished(() => server.end());
      const [, url = ''] = await until('the server', () => /Listening on (\S+)/.exec(server.printed()));

      const env = { ...inherited, LEASEGRAPH_SERVER: new URL(url).origin };
      const shell = async (text: string) =>
        (await promisify(execFile)('bash', ['-c', here(text)], { cwd: root, env })).stdout;
      await shell(lines.slice(0, 3).join('\n'));
      const file = await until('the process', () => pidFiles()[0]);
      const pid = Number(readFileSync(file, 'utf8').split(' ')[0]);
      const tail = terminal(lines[3] ?? '', env);
      onTestFinished(() => tail.end());
      const state = () => /^State:\s+(\w)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
      const count = () => Number(tail.printed().trimEnd().split('\n').at(-1));

      await until('the count', () => count() >= 1);
      await until('the suspension', () => state() === 'T');
      const stopped = count();
      await until('the resumption', () => state() !== 'T');
      await until('the count after it', () => count() > stopped + 1);
      // It goes on where it was, and was not started anew.
      const seconds = tail.printed().trimEnd().split('\n').map(Number);
      expect(seconds).toEqual(seconds.map((_, index) => index + (seconds[0] ?? 0)));

      await shell(`${lines[0]}\nnpm run --silent leasegraph -- end 1`);
      await until('the end of the process', () => pidFiles().length === 0);
      // Nobody may take leave of it.
      const status = existsSync(`/proc/${pid}`) ? state() : 'gone';
      expect(['Z', 'gone']).toContain(status);
    });
  },
);
