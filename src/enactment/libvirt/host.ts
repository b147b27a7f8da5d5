/** Access to the host of a node: its libvirt, its programs and its files. */
import { posix } from 'node:path';
import type { Millis } from '../../core/index.ts';
import { type HostNode, HostUnreachable } from '../../engine/ports.ts';
import { ProgramError, type ProgramResult, runProgram } from '../program.ts';
import type { LibvirtNode, LibvirtOptions } from './options.ts';
import { PrivateDaemon } from './private-daemon.ts';
import { type Ssh, sshOf } from './ssh.ts';
import { testDriver } from './test-driver.ts';
import { Virsh } from './virsh.ts';

/** The exit status of ssh when it could not run the program. */
const sshFailed = 255;

export interface RunOptions {
  readonly input?: string;
  readonly timeLimit: Millis;
  readonly signal: AbortSignal;
}

/**
 * The host of a node. The test driver without a daemon keeps its domains in the client process, so it gets its own
 * daemon and folder.
 */
export async function openHost(node: HostNode, options: LibvirtOptions): Promise<Host> {
  const own: LibvirtNode = { ...options, ...options.hosts?.[node.hostname] };
  if (!own.uri.startsWith('test://')) return new Host(node, own);
  const { daemon, uri } = await testDriver(own.uri, node.number);
  return new Host(node, { ...own, uri, directory: daemon.files, via: PrivateDaemon.via });
}

export class Host {
  readonly uri: string;
  readonly directory: string;
  /** The destination for rsync and scp; null: the local machine. */
  readonly copyHost: string | null;
  readonly migrateUri: string | null;
  readonly virsh: Virsh;
  private readonly ssh: Ssh | null;
  private readonly via: readonly string[];
  /** Whether a remote shell splits the words again. */
  private readonly isShell: boolean;

  constructor(
    readonly node: HostNode,
    own: LibvirtNode,
  ) {
    const filled = (text: string): string => text.replaceAll('%h', node.address).replaceAll('%n', String(node.number));
    this.uri = filled(own.uri);
    this.directory = filled(own.directory);
    this.migrateUri = own.migrateUri === undefined ? null : filled(own.migrateUri);
    this.virsh = new Virsh(this.uri);
    this.ssh = sshOf(this.uri);
    this.via = own.via?.map(filled) ?? this.ssh?.command ?? [];
    this.isShell = own.via === undefined && this.ssh !== null;
    this.copyHost = own.copyHost === undefined ? (this.ssh?.host ?? null) : filled(own.copyHost);
  }

  path(...parts: readonly string[]): string {
    return posix.join(this.directory, ...parts);
  }

  /** Runs a program on the host. Rejects when it fails, with HostUnreachable if ssh fails. */
  async run(file: string, args: readonly string[], options: RunOptions): Promise<string> {
    const result = await this.attempt(file, args, options);
    if (result.status === 0) return result.stdout;
    const words = result.stderr.trim() || `it exited with ${result.status ?? 'a signal'}`;
    throw new ProgramError('NOT_STARTED', `${file} on ${this.node.hostname}: ${words}`);
  }

  /** As `run`, but with any exit status. */
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

  /** Copies a file, or the contents of a folder whose path ends with a slash, from the local machine to the host. */
  async push(from: string, to: string, options: RunOptions): Promise<void> {
    const args = ['-aLs', ...this.rsyncOptions(null), '--', from, this.remote(to)];
    const { status, stderr } = await runProgram('rsync', args, options);
    if (status !== 0) throw new ProgramError('NOT_STARTED', `rsync to ${this.node.hostname}: ${stderr.trim()}`);
  }

  /** The rsync name of a path on this host. */
  remote(path: string): string {
    return this.copyHost === null ? path : `${this.copyHost}:${path}`;
  }

  /** The options with which rsync on another host, or (null) on the local machine, reaches this host. */
  rsyncOptions(from: Host | null): readonly string[] {
    if (!this.ssh) return [];
    const isHere = from === null || from.copyHost === null;
    return ['-e', isHere ? this.ssh.rsyncShell : this.ssh.rsyncShellElsewhere];
  }

  async write(path: string, text: string, options: RunOptions): Promise<void> {
    await this.run('tee', ['--', path], { ...options, input: text });
  }
}

/** Quoted for the shell that sshd starts. */
const shellQuoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
