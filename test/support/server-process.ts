/** The real server as its users start it: the built program in a process of its own. */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
export const program = join(root, 'dist/leasegraph.js');

/** Builds the program if a source has changed; in a test run once, however many suites need it. */
export async function build(): Promise<void> {
  if (process.env.VITEST === undefined) await buildProgram();
  else await (await import('./shared-postgres.ts')).builtProgram();
}

export async function buildProgram(): Promise<void> {
  const options = { cwd: root, stdio: 'inherit' } as const;
  const building = spawn(process.execPath, [join(root, 'scripts/build.mjs'), '--if-stale'], options);
  const [code] = await once(building, 'exit');
  if (code !== 0) throw new Error(`The program cannot be built: scripts/build.mjs ended with ${code}.`);
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Nothing of the environment that the tests themselves run in. */
const cleanEnvironment = (extra: Environment): NodeJS.ProcessEnv => {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(LEASEGRAPH_|DATABASE_URL$|PORT$|HOST$|NODE_ENV$|VITEST)/.test(name),
  );
  return { ...Object.fromEntries(inherited), ...extra };
};

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of the program to its end, with this text on its standard input. */
export async function run(
  args: readonly string[],
  environment: Environment = {},
  cwd = root,
  input = '',
): Promise<Ended> {
  const child = spawn(process.execPath, [program, ...args], { env: cleanEnvironment(environment), cwd });
  // It need not read what it is given.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return new Running(child).ended;
}

class Running {
  stdout = '';
  stderr = '';
  readonly ended: Promise<Ended>;

  constructor(readonly child: ChildProcess) {
    child.stdout?.on('data', (data) => {
      this.stdout += data;
    });
    child.stderr?.on('data', (data) => {
      this.stderr += data;
    });
    this.ended = once(child, 'close').then(([code]) => ({
      code: code as number | null,
      stdout: this.stdout,
      stderr: this.stderr,
    }));
  }

  /** Resolves when the standard output matches; rejects when the process ends before. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.stdout);
      if (found) return found;
      const more = this.child.stdout ? once(this.child.stdout, 'data').then(() => null) : new Promise<null>(() => {});
      const ended = await Promise.race([more, this.ended]);
      if (ended && !pattern.test(this.stdout)) {
        throw new Error(
          `the server ended with ${ended.code} before it said ${pattern}:\n${ended.stdout}${ended.stderr}`,
        );
      }
    }
  }
}

export interface ServerProcess {
  /** With its path. */
  readonly url: string;
  readonly token: string;
  readonly output: () => string;
  /** Its log. */
  readonly errors: () => string;
  readonly pid: number;
  /** Sends a signal and waits for the end; also how long that took, in milliseconds. */
  stop(signal?: NodeJS.Signals): Promise<Ended & { readonly milliseconds: number }>;
}

export interface ServerOptions {
  readonly dataDir: string;
  /** Written to a file beside the data directory. */
  readonly config?: object;
  readonly environment?: Environment;
}

export const serverEnvironment = ({ dataDir, config, environment }: ServerOptions): Environment => {
  const file = `${dataDir}.config.json`;
  if (config) writeFileSync(file, JSON.stringify(config));
  return {
    PORT: '0',
    LEASEGRAPH_DATA_DIR: dataDir,
    LEASEGRAPH_ADMIN_TOKEN: 'a-token-for-tests',
    LEASEGRAPH_LOG_LEVEL: 'warn',
    ...(config && { LEASEGRAPH_CONFIG: file }),
    ...environment,
  };
};

/** A server that may not listen yet. */
export interface LaunchedServer {
  readonly child: ChildProcess;
  /** Resolves with its URL, path included, when it listens; rejects when it ends before. */
  readonly listening: Promise<string>;
  readonly ended: Promise<Ended>;
  readonly output: () => string;
  readonly errors: () => string;
}

export function launchServer(environment: Environment, stdio: StdioOptions = 'pipe'): LaunchedServer {
  return launched(
    spawn(process.execPath, [program, 'serve'], { env: cleanEnvironment(environment), cwd: root, stdio }),
  );
}

/** The same through `npm start`, in a process group of its own. The child is npm. */
export function launchWithNpm(environment: Environment): LaunchedServer {
  const env = cleanEnvironment(environment);
  return launched(spawn('npm', ['start'], { env, cwd: root, stdio: 'pipe', detached: true }));
}

function launched(child: ChildProcess): LaunchedServer {
  const running = new Running(child);
  const listening = running.says(/Listening on (\S+)/).then(([, url = '']) => url);
  listening.catch(() => {});
  return {
    child: running.child,
    ended: running.ended,
    listening,
    output: () => running.stdout,
    errors: () => running.stderr,
  };
}

/** Starts a server and waits until it listens. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const environment = serverEnvironment(options);
  const { child, ended: end, errors, listening, output } = launchServer(environment);
  const url = await listening;
  const [, printed] = /^ {2}(lg_\S+)$/m.exec(output()) ?? [];
  return {
    url,
    token: environment.LEASEGRAPH_ADMIN_TOKEN ?? printed ?? '',
    output,
    errors,
    pid: child.pid ?? 0,
    stop: async (signal = 'SIGINT') => {
      const started = performance.now();
      child.kill(signal);
      const ended = await end;
      return { ...ended, milliseconds: performance.now() - started };
    },
  };
}

/** A directory that is removed by `remove`. */
export function scratchDirectory(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'leasegraph-e2e-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
