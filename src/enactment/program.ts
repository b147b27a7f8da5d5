/** Runs programs without a shell, each in its own process group, with a time limit and bounded output. */
import { spawn } from 'node:child_process';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Millis } from '../core/index.ts';
import { maxActionOutput } from '../engine/ports.ts';

export interface ProgramOptions {
  /** Written to its standard input. Default: nothing. */
  readonly input?: string;
  /** The complete environment. Default: `plainEnvironment()`. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Time limit after which the process group is killed. It is also killed when its output exceeds the limit. */
  readonly timeLimit: Millis;
  /** Kills the process group. */
  readonly signal: AbortSignal;
  /**
   * Maximum bytes of standard output to keep; of standard error, the last `maxErrorOutput` bytes are kept. Default: 1
   * MiB.
   */
  readonly maxOutput?: number;
}

export interface ProgramResult {
  /** Null when a signal ended it. */
  readonly status: number | null;
  readonly stdout: string;
  /** The end of it. */
  readonly stderr: string;
}

/** Thrown for a program that was killed or could not be started. */
export class ProgramError extends Error {
  override readonly name = 'ProgramError';

  constructor(
    readonly kind: 'TIME_LIMIT' | 'OUTPUT_LIMIT' | 'NOT_STARTED',
    message: string,
    /** What it printed until then: the last of its standard error, then of its standard output. */
    readonly output = '',
  ) {
    super(message);
  }
}

const maxErrorOutput = 4_096;
/** Maximum bytes to read from one program. Endless output would keep the server busy until the time limit. */
const maxReceived = 64 * 1_048_576;
/** Time between SIGTERM and SIGKILL of a process group. */
const killDelay: Millis = 1_000;
/** Time to wait for more output after the program has ended: a process that it left behind may keep the pipes open. */
const outputDelay: Millis = 200;
/** Total time to wait if a process left behind keeps writing. */
const maxOutputDelays = 5;

/** The environment variables that programs need; secrets of the server are not passed on. */
export function plainEnvironment(): Record<string, string> {
  const kept = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'SSH_AUTH_SOCK'];
  return Object.fromEntries(
    kept.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Rejects with ProgramError, or with the signal's reason when that aborts. */
export async function runProgram(
  file: string,
  args: readonly string[],
  { input = '', env = plainEnvironment(), cwd, timeLimit, signal, maxOutput = 1_048_576 }: ProgramOptions,
): Promise<ProgramResult> {
  signal.throwIfAborted();
  const child = spawn(file, args, { detached: true, env, stdio: 'pipe', ...(cwd !== undefined && { cwd }) });
  const stdout = new Kept(maxOutput, 'first');
  const stderr = new Kept(maxErrorOutput, 'last');
  child.stdout.on('data', (chunk: Buffer) => stdout.add(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.add(chunk));
  // The program need not read its input.
  child.stdin.on('error', () => {});
  child.stdin.end(input);

  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', (error) =>
      reject(new ProgramError('NOT_STARTED', `${file} cannot be started: ${error.message}`)),
    );
    child.once('exit', (status) => resolve(status));
  });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const received = (): number => stdout.received + stderr.received;
  let exceeded: [kind: 'TIME_LIMIT' | 'OUTPUT_LIMIT', what: string] | null = null;
  let ending: Promise<void> | null = null;
  const stop = (): void => {
    ending ??= endGroup(child.pid);
  };
  const timer = setTimeout(() => {
    exceeded ??= ['TIME_LIMIT', `did not end within ${timeLimit / 1_000} s`];
    stop();
  }, timeLimit);
  const watchOutput = (): void => {
    if (received() <= maxReceived) return;
    exceeded ??= ['OUTPUT_LIMIT', `printed more than ${maxReceived / 1_048_576} MiB`];
    stop();
  };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', watchOutput);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const status = await exited;
    // Processes left behind on purpose, such as machines, are not killed.
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    await drained(closed, received);
    signal.throwIfAborted();
    if (exceeded !== null) {
      const [kind, what] = exceeded as [ProgramError['kind'], string];
      throw new ProgramError(
        kind,
        `${file} ${what} and was killed`,
        outputOf({ stdout: stdout.text, stderr: stderr.text }),
      );
    }
    return { status, stdout: stdout.text, stderr: stderr.text };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    child.stdout.destroy();
    child.stderr.destroy();
    await ending;
  }
}

/** As much of what it printed as an action's record holds. */
export function outputOf({ stderr, stdout }: Pick<ProgramResult, 'stderr' | 'stdout'>): string {
  return `${stderr}${stdout}`.slice(-maxActionOutput);
}

/** Waits until the output has ended or no more arrives. */
async function drained(closed: Promise<void>, received: () => number): Promise<void> {
  for (let round = 0; round < maxOutputDelays; round += 1) {
    const before = received();
    const delay = new AbortController();
    const isOver = await Promise.race([
      closed.then(() => true),
      sleep(outputDelay, false, { ref: false, signal: delay.signal }).catch(() => false),
    ]);
    delay.abort();
    if (isOver) return;
    // On a busy machine, the timer may fire before the content of the pipes was read.
    await setImmediate();
    if (received() === before) return;
  }
}

/** Resolves when the group has no processes left. */
async function endGroup(pid: number | undefined): Promise<void> {
  if (pid === undefined) return;
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    signalGroup(pid, signal);
    // A killed process disappears soon, unless its parent does not reap it.
    for (const until = performance.now() + killDelay; performance.now() < until; await sleep(20))
      if (!signalGroup(pid, 0)) return;
  }
}

/** Whether the group exists. Signal 0 sends nothing. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

/** Keeps the first or the last bytes. */
class Kept {
  private kept = Buffer.alloc(0);

  constructor(
    private readonly size: number,
    private readonly which: 'first' | 'last',
  ) {}

  /** Total bytes, including those not kept. */
  received = 0;

  add(chunk: Buffer): void {
    this.received += chunk.length;
    if (this.which === 'first' && this.kept.length >= this.size) return;
    const all = Buffer.concat([this.kept, chunk]);
    this.kept = this.which === 'first' ? all.subarray(0, this.size) : all.subarray(-this.size);
  }

  get text(): string {
    return this.kept.toString('utf8');
  }
}
