/** The built program, run as its users run it, and what that took. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { program } from '../../test/support/server-process.ts';
import { median } from './statistics.ts';

export interface Usage {
  /** Seconds from starting the process to its end. */
  readonly wall: number;
  /** Seconds of CPU, over all threads, in user mode. */
  readonly user: number;
  /** Seconds of CPU in the kernel. */
  readonly system: number;
  readonly peakMb: number;
}

export interface ProgramRun {
  readonly usage: Usage;
  readonly stdout: string;
}

const reporter = fileURLToPath(new URL('usage.mjs', import.meta.url));
/** No run may take longer (ms). */
const limit = 15 * 60_000;

export async function runProgram(args: readonly string[]): Promise<ProgramRun> {
  const begun = performance.now();
  const child = spawn(process.execPath, ['--import', reporter, program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    timeout: limit,
  });
  const texts = ['', '', '', ''];
  for (const descriptor of [1, 2, 3]) {
    child.stdio[descriptor]?.on('data', (data) => {
      texts[descriptor] += data;
    });
  }
  const [code, signal] = await once(child, 'close');
  const wall = (performance.now() - begun) / 1_000;
  const [, stdout = '', stderr, usage = ''] = texts;
  if (code !== 0) throw new Error(`leasegraph ${args.join(' ')} ended with ${code ?? signal}:\n${stdout}${stderr}`);
  return { stdout, usage: { wall, ...(JSON.parse(usage) as Omit<Usage, 'wall'>) } };
}

/** The medians over several runs, and what the first one printed. */
export async function runRepeatedly(args: readonly string[], times: number): Promise<ProgramRun> {
  const runs: ProgramRun[] = [];
  for (let run = 0; run < times; run += 1) runs.push(await runProgram(args));
  const over = (name: keyof Usage) => median(runs.map(({ usage }) => usage[name]));
  return {
    stdout: runs[0]?.stdout ?? '',
    usage: { wall: over('wall'), user: over('user'), system: over('system'), peakMb: over('peakMb') },
  };
}
