import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { runProgram } from '../../src/enactment/program.ts';

const folder = mkdtempSync(join(tmpdir(), 'leasegraph-program-'));
afterAll(() => rmSync(folder, { recursive: true }));

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Runs a script of the shell in a folder of its own. */
function shell(name: string, script: string, signal: AbortSignal, timeLimit = 120_000) {
  const at = join(folder, name);
  execFileSync('mkdir', [at]);
  return { at, result: runProgram('sh', ['-c', script], { cwd: at, timeLimit, signal }) };
}

/** What a program has written into a file, once it is there as a whole line. */
async function written(file: string): Promise<string> {
  while (!existsSync(file) || !readFileSync(file, 'utf8').endsWith('\n')) await setImmediate();
  return readFileSync(file, 'utf8').trim();
}

const never = new AbortController().signal;

test('no output is lost on a machine that is so busy that the time to wait for it is over before it is read', async () => {
  const script = `echo $$ >pid; (until [ -e go ]; do sleep 0.01; done; echo output; touch said) & exit 0`;
  const { at, result } = shell('busy', script, never);
  const pid = Number(await written(join(at, 'pid')));
  while (isAlive(pid)) await setImmediate();
  // It has ended, and its output comes while nothing is read.
  writeFileSync(join(at, 'go'), '');
  execFileSync('sh', ['-c', 'until [ -e said ]; do sleep 0.01; done; sleep 0.5'], { cwd: at });
  expect(await result).toEqual({ status: 0, stdout: 'output\n', stderr: '' });
});
