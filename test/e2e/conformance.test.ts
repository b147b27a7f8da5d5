/** `npm run conformance`, as its users call it. */
import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { missingPrograms } from '../support/libvirt.ts';
import { build, run, scratchDirectory } from '../support/server-process.ts';

const root = join(import.meta.dirname, '../..');
const scratch = scratchDirectory();
afterAll(() => {
  scratch.remove();
});
beforeAll(() => build());

/** The last line, and how many cases are said to have passed, failed and been skipped. */
function summary(stdout: string) {
  const lines = stdout.trimEnd().split('\n');
  const count = (mark: string): number => lines.filter((line) => line.startsWith(mark)).length;
  return { last: lines.at(-1), passed: count('ok '), failed: count('FAILED '), skipped: count('skipped ') };
}

function expectPassed({ code, stderr, stdout }: { code: number | null; stderr: string; stdout: string }): void {
  const { failed, last, passed } = summary(stdout);
  expect({ code, failed, last, stderr }, stdout).toEqual({
    ...{ code: 0, failed: 0, stderr: '' },
    last: `${passed} passed, 0 failed`,
  });
  expect(passed).toBeGreaterThan(20);
}

describe('passes', { concurrent: true }, () => {
  test('simulated hosts, through npm', async () => {
    const args = ['run', '--silent', 'conformance', '--', 'simulated'];
    const { stdout, stderr } = await promisify(execFile)('npm', args, { cwd: root });
    expectPassed({ code: 0, stdout, stderr });
  });

  test('programs, with a configuration', async () => {
    const machine = join(root, 'docs/examples/local-processes/machine');
    const file = join(scratch.path, 'site.yaml');
    const environment = { PROCESSES_DIR: join(scratch.path, 'processes') };
    const adapter = { kind: 'command', program: machine, timeLimit: 120, environment };
    const nodes = [{ count: 2, hostname: 'processes-%d', capacity: { CPU: 400, Memory: 4096 } }];
    writeFileSync(file, JSON.stringify({ site: { nodes }, adapter }));
    expectPassed(await run(['conformance', 'command', '--config', file]));
  });

  test('a module', async () => {
    // It keeps its machines in the present folder.
    const notebook = join(root, 'docs/examples/adapters/notebook.js');
    expectPassed(await run(['conformance', notebook], {}, scratch.path));
  });

  test('the double of OpenNebula, with an image, as JSON', async () => {
    const { code, stdout } = await run(['conformance', 'opennebula', '--image', 'debian', '--json']);
    const { adapter, cases } = JSON.parse(stdout) as { adapter: string; cases: { outcome: string }[] };
    expect([code, adapter]).toEqual([0, 'opennebula, on a double']);
    expect(cases.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect(cases.filter(({ outcome }) => outcome === 'passed').length).toBeGreaterThan(20);
  });

  test.skipIf(missingPrograms.length > 0)('libvirt on its test driver', async () => {
    expectPassed(await run(['conformance', 'libvirt']));
  });
});

describe('fails', { concurrent: true }, () => {
  test('an adapter that breaks the contract: the cases are named, and the status is 1', async () => {
    const file = join(scratch.path, 'forgetful.mjs');
    const notebook = join(root, 'docs/examples/adapters/notebook.js');
    // It says that machines are suspended, and does nothing.
    writeFileSync(
      file,
      `import notebook from ${JSON.stringify(notebook)};
      export default async (context) =>
        Object.assign(await notebook(context), { suspend: async () => ({ status: 'done' }) });
      `,
    );
    const { code, stdout, stderr } = await run(['conformance', file], {}, mkdtempSync(join(scratch.path, 'own-')));
    const { failed, last, passed } = summary(stdout);
    expect([code, stderr, last]).toEqual([1, '', `${passed} passed, ${failed} failed`]);
    expect(failed).toBeGreaterThan(5);
    expect(stdout).toMatch(/^FAILED {2}a machine goes through all its states.*\n {8}after suspend/m);
  });

  test('what it cannot run, with a reason and the status 1', async () => {
    const { code, stderr } = await run(['conformance', 'command']);
    expect([code, stderr]).toEqual([
      1,
      'leasegraph: command needs a configuration: --config FILE with an adapter of that kind\n',
    ]);
    const none = await run(['conformance', join(scratch.path, 'none.mjs')]);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('there is no such file')]);
    const other = await run(['conformance', 'nothing']);
    expect(other.code).toBe(1);
  });
});
