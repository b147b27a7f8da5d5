/** A private, unprivileged libvirtd with its own folder that ends with this process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { plainEnvironment } from '../program.ts';

/** Time limit of the start (ms), sufficient for a busy machine. */
const startLimit = 120_000;
/** The daemon of an unprivileged user needs no system services; root switches to such a user. */
const dropRights = process.getuid?.() === 0 ? ['--reuid=nobody', '--regid=nogroup', '--clear-groups'] : [];

export class PrivateDaemon {
  private constructor(
    readonly folder: string,
    private readonly child: ChildProcess,
  ) {}

  /** Prefix of commands that access the daemon's files with its user. */
  static readonly via: readonly string[] = dropRights.length > 0 ? ['setpriv', ...dropRights] : [];

  /** The user of the daemon, who owns its files. Null: the current user. */
  static readonly owner: readonly [uid: number, gid: number] | null = dropRights.length > 0 ? nobody() : null;

  /** Throws if libvirtd is not installed or does not start. */
  static async start(): Promise<PrivateDaemon> {
    const folder = mkdtempSync(join(tmpdir(), 'leasegraph-libvirtd-'));
    const names = ['run', 'config', 'cache', 'data', 'home', 'files'].map((name) => join(folder, name));
    for (const name of names) mkdirSync(name, { mode: 0o700 });
    if (PrivateDaemon.owner) for (const name of [folder, ...names]) chownSync(name, ...PrivateDaemon.owner);
    const [runtime = '', config = '', cache = '', data = '', home = ''] = names;
    const child = spawn('setpriv', ['--pdeathsig', 'TERM', ...dropRights, 'libvirtd'], {
      env: {
        ...plainEnvironment(),
        HOME: home,
        XDG_RUNTIME_DIR: runtime,
        XDG_CONFIG_HOME: config,
        XDG_CACHE_HOME: cache,
        XDG_DATA_HOME: data,
      },
      cwd: folder,
      stdio: 'ignore',
    });
    const daemon = new PrivateDaemon(folder, child);
    let failure: Error | null = null;
    child.once('error', (error) => {
      failure = error;
    });
    // The socket file exists before the daemon listens.
    for (const until = Date.now() + startLimit; !(await accepts(daemon.socket)); await sleep(20)) {
      if (!failure && child.exitCode === null && Date.now() < until) continue;
      daemon.stop();
      throw new Error(`libvirtd does not start: ${failure ?? `it exited with ${child.exitCode}`}; is it installed?`);
    }
    process.once('exit', () => daemon.stop());
    child.unref();
    return daemon;
  }

  get socket(): string {
    return join(this.folder, 'run', 'libvirt', 'libvirt-sock');
  }

  get files(): string {
    return join(this.folder, 'files');
  }

  /** `qemu`, `/session` or `test`, `/default`. */
  uri(driver: string, path: string): string {
    return `${driver}+unix://${path}?socket=${this.socket}`;
  }

  /** Kills the daemon and all machines at once, like a power failure. */
  kill(): void {
    this.child.kill('SIGKILL');
    // Processes started by the daemon have no parent here, but name the folder in their arguments.
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(this.folder)) process.kill(Number(pid), 'SIGKILL');
      } catch {
        // It has ended.
      }
    }
  }

  stop(): void {
    this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function accepts(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    const end = (accepted: boolean): void => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}

function nobody(): [uid: number, gid: number] {
  const [, , uid = '65534', gid = '65534'] =
    readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((line) => line.startsWith('nobody:'))
      ?.split(':') ?? [];
  return [Number(uid), Number(gid)];
}
