/** Runs programs: without a shell, in a process group of their own, with a time limit and bounded output. */
import { spawn } from 'node:child_process';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Millis } from '../core/index.ts';
import { maxActionOutput } from '../engine/ports.ts';

export interface ProgramOptions {
  /** Written to its standard input. Default: nothing. */
  readonly input?: string;
  /** Its whole environment. Default: `plainEnvironment()`. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** After it, the process group is killed, as it is when output has no end. */
  readonly timeLimit: Millis;
  /** Kills the process group. */
  readonly signal: AbortSignal;
  /** Bytes of standard output that are kept; of standard error, the last `maxErrorOutput` are. Default: 1 MiB. */
  readonly maxOutput?: number;
}

export interface ProgramResult {
  /** Null when a signal ended it. */
  readonly status: number | null;
  readonly stdout: string;
  /** The end of it. */
  readonly stderr: string;
}

/** A program that did not come to an end by itself, or could not be started. */
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
/**
 * Bytes that are read of one program. One that prints without end would keep the server busy for as long as it may run.
 */
const maxReceived = 64 * 1_048_576;
/** How long a process group has to end after SIGTERM before it is killed. */
const killDelay: Millis = 1_000;
/**
 * How long more output is waited for when the program has ended: a process that it left behind may hold its pipes open.
 */
const outputDelay: Millis = 200;
/** One that was left behind and goes on writing is not waited for any longer. */
const maxOutputDelays = 5;

/** What programs need of the server's environment. Its secrets are none of their business. */
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
  // It need not read what it is told.
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
    // What it has left behind on purpose, such as a machine, is not killed with it.
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

/** Until the output has ended, or no more comes. */
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
    // On a busy machine the time is over before what is in the pipes was read: timers come first.
    await setImmediate();
    if (received() === before) return;
  }
}

/** Resolves when no process of the group is left. */
async function endGroup(pid: number | undefined): Promise<void> {
  if (pid === undefined) return;
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    signalGroup(pid, signal);
    // One that has been killed is gone soon, unless nobody takes leave of it.
    for (const until = performance.now() + killDelay; performance.now() < until; await sleep(20))
      if (!signalGroup(pid, 0)) return;
  }
}

/** Whether there is such a group. 0: nothing is sent. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

/** The first or the last bytes of what it is given. */
class Kept {
  private kept = Buffer.alloc(0);

  constructor(
    private readonly size: number,
    private readonly which: 'first' | 'last',
  ) {}

  /** Bytes, those that are not kept too. */
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
