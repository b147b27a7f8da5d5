/** A node as the adapter reaches it: its libvirt, and programs and files on the host. */
import { type ChildProcess, spawn } from 'node:child_process';
import { posix } from 'node:path';
import type { Millis } from '../../core/index.ts';
import { type HostNode, HostUnreachable } from '../../engine/ports.ts';
import { ProgramError, type ProgramResult, runProgram } from '../program.ts';
import type { LibvirtNode, LibvirtOptions } from './options.ts';
import { PrivateDaemon } from './private-daemon.ts';
import { Virsh } from './virsh.ts';

/** ssh exits with it when it did not come to run the program. */
const sshFailed = 255;

export interface RunOptions {
  readonly input?: string;
  readonly timeLimit: Millis;
  readonly signal: AbortSignal;
}

/** By URI and node. The domains of a test driver live as long as the daemon that has them. */
const testDaemons = new Map<string, Promise<PrivateDaemon>>();

/**
 * The host of a node. A driver that is only for tests, without a daemon, keeps its domains in the process that asks: it
 * gets a daemon, and a folder, of its own.
 */
export async function openHost(node: HostNode, options: LibvirtOptions): Promise<Host> {
  const own: LibvirtNode = { ...options, ...options.hosts?.[node.hostname] };
  if (!own.uri.startsWith('test://')) return new Host(node, own);
  const key = `${own.uri} ${node.number}`;
  const starting = testDaemons.get(key) ?? PrivateDaemon.start();
  testDaemons.set(key, starting);
  const daemon = await starting;
  const uri = daemon.uri('test', new URL(own.uri).pathname);
  // The driver forgets its domains when nobody is connected.
  if (!connected.has(key)) connected.set(key, keepConnected(uri));
  return new Host(node, { ...own, uri, directory: daemon.files, via: PrivateDaemon.via });
}

const connected = new Map<string, ChildProcess>();

function keepConnected(uri: string): ChildProcess {
  const child = spawn('virsh', ['-q', '-c', uri, 'event', '--event', 'lifecycle', '--loop'], {
    stdio: 'ignore',
  });
  child.on('error', () => {});
  child.unref();
  process.once('exit', () => child.kill());
  return child;
}

export class Host {
  readonly uri: string;
  readonly directory: string;
  /** For rsync and scp; null: this machine. */
  readonly copyHost: string | null;
  readonly migrateUri: string | null;
  readonly virsh: Virsh;
  private readonly via: readonly string[];
  /** Whether a shell on the other side takes the words apart again. */
  private readonly isShell: boolean;

  constructor(
    readonly node: HostNode,
    own: LibvirtNode,
  ) {
    const filled = (text: string): string =>
      text.replaceAll('%h', node.address).replaceAll('%n', String(node.number));
    this.uri = filled(own.uri);
    this.directory = filled(own.directory);
    this.migrateUri = own.migrateUri === undefined ? null : filled(own.migrateUri);
    this.virsh = new Virsh(this.uri);
    const ssh = own.via === undefined ? sshOf(this.uri) : null;
    this.via = own.via?.map(filled) ?? ssh?.command ?? [];
    this.isShell = ssh !== null;
    this.copyHost = own.copyHost === undefined ? (sshOf(this.uri)?.host ?? null) : filled(own.copyHost);
  }

  path(...parts: readonly string[]): string {
    return posix.join(this.directory, ...parts);
  }

  /** Runs a program on the host. Rejects when it fails, with HostUnreachable where ssh does. */
  async run(file: string, args: readonly string[], options: RunOptions): Promise<string> {
    const result = await this.attempt(file, args, options);
    if (result.status === 0) return result.stdout;
    const words = result.stderr.trim() || `it exited with ${result.status ?? 'a signal'}`;
    throw new ProgramError('NOT_STARTED', `${file} on ${this.node.hostname}: ${words}`);
  }

  /** The same, whatever its exit status. */
  async attempt(file: string, args: readonly string[], options: RunOptions): Promise<ProgramResult> {
    const words = this.isShell ? [[file, ...args].map(shellQuoted).join(' ')] : [file, ...args];
    const [program = file, ...rest] = [...this.via, ...words];
    const result = await runProgram(program, rest, options);
    if (this.isShell && result.status === sshFailed)
      throw new HostUnreachable(`${this.node.hostname}: ${result.stderr.trim() || 'ssh failed'}`);
    return result;
  }

  async exists(path: string, options: RunOptions): Promise<boolean> {
    return (await this.attempt('test', ['-e', path], options)).status === 0;
  }

  /** Copies a file or, with a slash at its end, a folder's contents from this machine to the host. */
  async push(from: string, to: string, options: RunOptions): Promise<void> {
    const ssh = this.isShell ? ['-e', this.via.slice(0, -2).join(' ')] : [];
    const target = this.copyHost === null ? to : `${this.copyHost}:${to}`;
    const { status, stderr } = await runProgram('rsync', ['-aLs', ...ssh, '--', from, target], options);
    if (status !== 0)
      throw new ProgramError('NOT_STARTED', `rsync to ${this.node.hostname}: ${stderr.trim()}`);
  }

  async write(path: string, text: string, options: RunOptions): Promise<void> {
    await this.run('tee', ['--', path], { ...options, input: text });
  }
}

/** What a URI such as `qemu+ssh://root@host:22/system` says of ssh; null where it does not go through ssh. */
function sshOf(uri: string): { readonly host: string; readonly command: readonly string[] } | null {
  if (!/^\w+\+(ssh|libssh2?):\/\//.test(uri)) return null;
  const { hostname, port, username } = new URL(uri);
  const host = `${username === '' ? '' : `${decodeURIComponent(username)}@`}${hostname}`;
  const options = ['-o', 'BatchMode=yes', '-o', 'ConnectTimeout=10', ...(port === '' ? [] : ['-p', port])];
  return { host, command: ['ssh', ...options, '--', host] };
}

/** For the shell that sshd starts. */
const shellQuoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
