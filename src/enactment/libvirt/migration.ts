/** Moves a machine from one host to another. */
import type { ActionResult } from '../../engine/ports.ts';
import { type MachineTarget, nameOf, relocated } from './domain.ts';
import type { Host, RunOptions } from './host.ts';
import type { FileKeeper } from './machine-files.ts';
import type { Machines } from './machines.ts';
import type { Operations } from './operations.ts';
import type { LibvirtOptions } from './options.ts';

const done: ActionResult = { status: 'done' };

export class Migration {
  constructor(
    private readonly options: LibvirtOptions,
    private readonly machines: Machines,
    private readonly files: FileKeeper,
    private readonly operations: Operations,
  ) {}

  /**
   * At any time exactly one host has the complete machine: the domain on the destination is defined after all files
   * have arrived.
   */
  async migrate(from: Host, to: Host, target: MachineTarget, signal: AbortSignal): Promise<ActionResult> {
    const name = nameOf(this.options.namePrefix, target);
    const state = await this.machines.settled(from, name, this.options.timeLimit, signal);
    const arrived = await this.machines.settled(to, name, this.options.timeLimit, signal);
    if (!state) return arrived ? done : { status: 'failed', reason: `${name} is not on ${from.node.hostname}` };
    const status = await this.machines.statusOf(from, name, state, signal);
    if (status === 'running' && this.options.liveMigration) return this.live(from, to, target, signal);
    if (status !== 'prepared' && status !== 'suspended')
      return {
        status: 'failed',
        reason: `${name} on ${from.node.hostname} is ${status}: it cannot be moved`,
      };
    if (!arrived) {
      await this.copy(from, to, target, signal);
      await this.operations.define(to, target, status, signal);
    }
    await this.operations.destroy(from, target, signal);
    return done;
  }

  private async copy(from: Host, to: Host, target: MachineTarget, signal: AbortSignal): Promise<void> {
    const options: RunOptions = { timeLimit: this.options.timeLimit, signal };
    const source = this.files.folder(from, target);
    const destination = this.files.folder(to, target);
    const incoming = `${destination}.incoming`;
    await to.run('rm', ['-rf', '--', incoming, destination], options);
    await to.run('mkdir', ['-p', '--', incoming], options);
    if (await from.exists(source, options)) {
      await this.transfer(from, to, `${source}/`, `${incoming}/`, options);
      const [sent, received] = await Promise.all([checksums(from, source, options), checksums(to, incoming, options)]);
      if (sent !== received) throw new Error(`what arrived on ${to.node.hostname} is not what ${source} holds`);
      await this.files.adopt(to, target, incoming, signal);
    }
    await to.run('mv', ['-T', '--', incoming, destination], options);
  }

  /** Copies directly between the hosts: the local machine copies if it is one of them, otherwise the source. */
  private async transfer(
    from: Host,
    to: Host,
    source: string,
    destination: string,
    options: RunOptions,
  ): Promise<void> {
    const copy = (host: Host, other: Host, paths: readonly [string, string]): Promise<string> =>
      host.run('rsync', ['-aSs', ...other.rsyncOptions(host), '--', ...paths], options);
    if (to.copyHost === null) await copy(to, from, [from.remote(source), destination]);
    else await copy(from, to, [source, to.remote(destination)]);
  }

  /** The guest keeps running. Its disk is written on the destination after the switch-over. */
  private async live(from: Host, to: Host, target: MachineTarget, signal: AbortSignal): Promise<ActionResult> {
    const name = nameOf(this.options.namePrefix, target);
    const { disk, folder } = await this.files.prepare(to, target, signal);
    const xml = await this.machines.virsh(from, ['dumpxml', '--domain', name, '--migratable'], signal);
    const storage = disk === null ? [] : ['--copy-storage-inc'];
    const uri = to.migrateUri === null ? [] : ['--migrateuri', to.migrateUri];
    await this.machines.withFile(relocated(xml, folder), (file) => {
      const move = ['migrate', '--domain', name, '--desturi', to.uri, '--live', '--persistent', '--undefinesource'];
      const args = [...move, '--xml', file, '--persistent-xml', file, ...storage, ...uri];
      return this.machines.virsh(from, args, signal, this.options.timeLimit);
    });
    await this.files.remove(from, target, signal);
    return done;
  }
}

/** Of all files in a folder. */
async function checksums(host: Host, folder: string, options: RunOptions): Promise<string> {
  const printed = await host.run('find', [folder, '-type', 'f', '-exec', 'sha256sum', '{}', '+'], options);
  return printed
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replace(`${folder}/`, ''))
    .sort()
    .join('\n');
}
