/** The programs of docs/clients, run as they stand there, against a server. */
import { execFile, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build, type ServerProcess, scratchDirectory, startServer } from '../support/server-process.ts';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'docs/clients');
const pages = readdirSync(folder).filter((page) => page !== 'README.md');

const missing = ['bash', 'curl'].filter((tool) => spawnSync(tool, ['--version']).status !== 0);

/** The blocks of code of a page in order, each with the file name that stands before it. */
function blocksOf(page: string) {
  const text = readFileSync(join(folder, page), 'utf8');
  return [...text.matchAll(/(?:^`([\w.-]+)`:\n\n)?^```(\w+)\n([\s\S]*?)^```$/gm)].map(
    ([, file, language = '', code = '']) => ({ file, language, code }),
  );
}

const scratch = scratchDirectory();
let server: ServerProcess;
beforeAll(async () => {
  await build();
  server = await startServer({ dataDir: join(scratch.path, 'data') });
});
afterAll(async () => {
  await server.stop('SIGKILL');
  scratch.remove();
});

/** Runs shell commands in a directory; returns what they print. */
async function run(commands: string, cwd: string): Promise<string> {
  const env = {
    ...process.env,
    LEASEGRAPH_SERVER: new URL(server.url).origin,
    LEASEGRAPH_TOKEN: server.token,
  };
  const running = promisify(execFile)('bash', ['-ec', commands], { cwd, env });
  const { stdout } = await running.catch(({ message, stdout }) => {
    throw new Error(`${message}\n${stdout}`);
  });
  return stdout;
}

/** What does not differ from one run to the next. */
const comparable = (text: string) => text.replace(/"available":\d+/, '"available":…');

describe.skipIf(missing.length > 0).each(pages)('docs/clients/%s', (page) => {
  const blocks = blocksOf(page);

  it('names packages that the project has, so that it runs with their versions', () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const installed = blocks
      .flatMap(({ code }) => [...code.matchAll(/^npm install (.*)$/gm)])
      .flatMap(([, names = '']) => names.split(' ').filter((name) => !name.startsWith('--')));
    expect(installed.filter((name) => !(name in { ...dependencies, ...devDependencies }))).toEqual([]);
  });

  it('prints what the page says', { timeout: 120_000 }, async () => {
    const directory = join(scratch.path, page);
    mkdirSync(directory);
    symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
    copyFileSync(join(root, 'schema.graphql'), join(directory, 'schema.graphql'));
    writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
    let printed: string | undefined;
    const compared: unknown[] = [];
    for (const { file, language, code } of blocks) {
      if (file !== undefined) writeFileSync(join(directory, file), code);
      else if (language === 'sh') {
        const commands = code.replaceAll(/^npm install .*$/gm, '');
        printed = commands.trim() === '' ? undefined : await run(commands, directory);
      } else {
        compared.push(code);
        expect(comparable(printed ?? '').trim()).toContain(comparable(code).trim());
      }
    }
    expect(compared.length).toBeGreaterThan(0);
  });
});
