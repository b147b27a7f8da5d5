/** An ssh server of a test's own, on the loopback interface. It lets one key in. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createConnection, createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const isRoot = process.getuid?.() === 0;
/** Programs of administrators are not found by everybody. */
const path = `${process.env.PATH ?? ''}:/usr/sbin:/sbin`;
const privileges = '/run/sshd';
/** Milliseconds: only what hangs takes that long. */
const startLimit = 120_000;

/** Programs that are not installed: without them the tests of ssh are skipped. */
export const missingSshPrograms = ['sshd', 'ssh', 'ssh-keygen', 'nc'].filter((program) => find(program) === '');

function find(program: string): string {
  return spawnSync('which', [program], { env: { PATH: path }, encoding: 'utf8' }).stdout.trim();
}

export interface KeyPair {
  /** The file of the private key. */
  readonly file: string;
  readonly publicKey: string;
}

/** A new key in a folder. Its owner, and root, may use it. */
export function makeKey(
  folder: string,
  name: string,
  owner: readonly [uid: number, gid: number] | null = null,
): KeyPair {
  const file = join(folder, name);
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', file]);
  const publicKey = readFileSync(`${file}.pub`, 'utf8').trim();
  chmodSync(file, 0o600);
  if (owner) chownSync(file, ...owner);
  return { file, publicKey };
}

export interface SshServerOptions {
  /** For its files. */
  readonly folder: string;
  readonly key: KeyPair;
  /** What each program is started with that a client runs. */
  readonly via: readonly string[];
}

export class SshServer {
  readonly user = userInfo().username;

  private constructor(
    readonly port: number,
    private readonly child: ChildProcess,
    private readonly undo: () => void,
  ) {}

  static async start({ folder, key, via }: SshServerOptions): Promise<SshServer> {
    const made = isRoot && !existsSync(privileges);
    if (made) mkdirSync(privileges, { mode: 0o755 });
    const undo = (): void => {
      if (made) rmSync(privileges, { recursive: true, force: true });
    };
    const hostKey = makeKey(folder, 'host-key');
    const keys = join(folder, 'authorized-keys');
    const forced = via.length > 0 ? `command="cd / && ${via.join(' ')} sh -c \\"$SSH_ORIGINAL_COMMAND\\"" ` : '';
    writeFileSync(keys, `${forced}${key.publicKey}\n`);
    const port = await freePort();
    const config = join(folder, 'sshd-config');
    const lines = [
      `ListenAddress 127.0.0.1:${port}`,
      `HostKey "${hostKey.file}"`,
      `AuthorizedKeysFile "${keys}"`,
      'PidFile none',
      'StrictModes no',
      'UsePAM no',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'PermitRootLogin prohibit-password',
      'MaxStartups 1000',
    ];
    writeFileSync(config, `${lines.join('\n')}\n`);
    const log = join(folder, 'sshd.log');
    const child = spawn('setpriv', ['--pdeathsig', 'TERM', find('sshd'), '-D', '-f', config, '-E', log], {
      stdio: 'ignore',
    });
    const server = new SshServer(port, child, undo);
    for (const until = Date.now() + startLimit; !(await accepts(port)); await sleep(20)) {
      if (child.exitCode === null && Date.now() < until) continue;
      server.stop();
      throw new Error(`sshd does not start: ${existsSync(log) ? readFileSync(log, 'utf8') : 'it says nothing'}`);
    }
    return server;
  }

  stop(): void {
    this.child.kill();
    this.undo();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    const end = (accepted: boolean): void => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}
