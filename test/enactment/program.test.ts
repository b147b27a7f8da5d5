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
    // Where nobody takes leave of the children of others, they stay as names.
    return !/^\d+ \(.*\) Z /.test(existsSync('/proc/self') ? readFileSync(`/proc/${pid}/stat`, 'utf8') : '');
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

test('a program that is out of time has ended with all processes of its group, also those that ignore SIGTERM', async () => {
  const script = `(trap '' TERM; echo $(sh -c 'echo $PPID') >pid; while :; do sleep 0.05; done) & wait`;
  const controller = new AbortController();
  const { at, result } = shell('stubborn', script, controller.signal);
  const rejected = expect(result).rejects.toThrow('out of time');
  const pid = Number(await written(join(at, 'pid')));
  expect(isAlive(pid)).toBe(true);
  controller.abort(new Error('out of time'));
  await rejected;
  expect(isAlive(pid)).toBe(false);
});

test('a program that does not end is killed at its time limit', async () => {
  const { result } = shell('endless', 'echo what it says >&2; exec sleep 1000', never, 500);
  await expect(result).rejects.toMatchObject({
    ...{ kind: 'TIME_LIMIT', output: 'what it says\n' },
    message: 'sh did not end within 0.5 s and was killed',
  });
});

test('a program that prints without end is killed', async () => {
  for (const [name, script] of [
    ['flood', 'exec yes'],
    ['flood-of-errors', 'exec yes >&2'],
  ] as const) {
    await expect(shell(name, script, never).result).rejects.toMatchObject({
      ...{ kind: 'OUTPUT_LIMIT', message: 'sh printed more than 64 MiB and was killed' },
    });
  }
});

test('what a program leaves behind on purpose lives on', async () => {
  const { result } = shell('daemon', `sleep 1000 >/dev/null 2>&1 & echo $!`, never);
  const { status, stdout } = await result;
  expect([status, isAlive(Number(stdout))]).toEqual([0, true]);
  process.kill(Number(stdout));
});
