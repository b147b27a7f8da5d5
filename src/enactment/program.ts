/** Runs programs: without a shell, in a process group of their own, with a time limit and bounded output. */
import { spawn } from 'node:child_process';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Millis } from '../core/index.ts';

export interface ProgramOptions {
  /** Written to its standard input. Default: nothing. */
  readonly input?: string;
  /** Its whole environment. Default: `plainEnvironment()`. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** After it, the process group is killed. */
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
    readonly kind: 'TIME_LIMIT' | 'NOT_STARTED',
    message: string,
    readonly output = '',
  ) {
    super(message);
  }
}

const maxErrorOutput = 4_096;
/** How long a process group has to end after SIGTERM before it is killed. */
const killDelay: Millis = 1_000;
/** How long more output is waited for when the program has ended: a process that it left behind may hold its pipes open. */
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
  let timedOut = false;
  const stop = (): void => killGroup(child.pid);
  const timer = setTimeout(() => {
    timedOut = true;
    stop();
  }, timeLimit);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const status = await exited;
    await drained(closed, () => stdout.received + stderr.received);
    signal.throwIfAborted();
    if (timedOut) {
      const seconds = timeLimit / 1_000;
      throw new ProgramError(
        'TIME_LIMIT',
        `${file} did not end within ${seconds} s and was killed`,
        stderr.text,
      );
    }
    return { status, stdout: stdout.text, stderr: stderr.text };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    child.stdout.destroy();
    child.stderr.destroy();
  }
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

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  signalGroup(pid, 'SIGTERM');
  setTimeout(() => signalGroup(pid, 'SIGKILL'), killDelay).unref();
}

function signalGroup(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name);
  } catch {
    // It has ended.
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
