/** The folder of a machine on its host: disk, cloud-init seed, saved memory. */
import { readFileSync } from 'node:fs';
import type { Millis } from '../../core/index.ts';
import type { HostSite } from '../../engine/ports.ts';
import { filled, type MachineTarget, nameOf } from './domain.ts';
import type { Host, RunOptions } from './host.ts';
import { ImageError, Images } from './images.ts';
import type { LibvirtOptions } from './options.ts';
import { metaData, seedValues, yamlEscaped } from './seed.ts';

export interface MachineFiles {
  readonly disk: string | null;
  readonly seed: string | null;
  readonly folder: string;
}

export class FileKeeper {
  private readonly images: Images | null;
  readonly timeLimit: Millis;

  constructor(
    private readonly options: LibvirtOptions,
    site: HostSite,
  ) {
    this.timeLimit = options.timeLimit;
    this.images =
      options.images && new Images(options.images, options.timeLimit, (node) => site.cachedImages?.(node) ?? null);
  }

  folder(host: Host, target: Pick<MachineTarget, 'leaseId' | 'machine'>): string {
    return host.path('machines', nameOf(this.options.namePrefix, target));
  }

  /** The files of the folder, whether they exist or not. */
  files(host: Host, target: MachineTarget): MachineFiles {
    const folder = this.folder(host, target);
    return {
      folder,
      disk: target.image && this.images ? `${folder}/disk.qcow2` : null,
      seed: this.options.cloudInit ? `${folder}/seed.iso` : null,
    };
  }

  /** Creates missing files. Rejects with ImageError if the image is not available. */
  async prepare(host: Host, target: MachineTarget, signal: AbortSignal): Promise<MachineFiles> {
    const files = this.files(host, target);
    const options: RunOptions = { timeLimit: this.timeLimit, signal };
    if (target.image && !this.images)
      throw new ImageError(`the lease asks for the image ${target.image.name}, and no image repository is configured`);
    await host.run('mkdir', ['-p', '--', files.folder], options);
    if (files.disk !== null && target.image && this.images) {
      const hasDisk = await host.exists(files.disk, options);
      if (!hasDisk) await this.claim(host, target.image.name, files.folder, options);
      const base = await this.images.cached(host, target.image.name, signal);
      if (!hasDisk) {
        // The file gets its final name once it is complete.
        await this.images.overlay(host, base, `${files.disk}.new`, options);
        await host.run('mv', ['-f', '--', `${files.disk}.new`, files.disk], options);
      }
    }
    if (files.seed !== null && !(await host.exists(files.seed, options)))
      await this.makeSeed(host, target, files, options);
    return files;
  }

  /** Keeps an image in the cache of the host from now on, for the machine of the folder. */
  private async claim(host: Host, image: string, folder: string, options: RunOptions): Promise<void> {
    await host.write(`${folder}/base`, `${this.images?.pathOf(host, image)}\n`, options);
  }

  /** Adapts files copied from another host to this one. */
  async adopt(host: Host, target: MachineTarget, folder: string, signal: AbortSignal): Promise<void> {
    if (!target.image || !this.images) return;
    const options: RunOptions = { timeLimit: this.timeLimit, signal };
    await this.claim(host, target.image.name, folder, options);
    const base = await this.images.cached(host, target.image.name, signal);
    await this.images.rebase(host, base, `${folder}/disk.qcow2`, options);
  }

  async remove(host: Host, target: MachineTarget, signal: AbortSignal): Promise<void> {
    const folder = this.folder(host, target);
    await host.run('rm', ['-rf', '--', folder, `${folder}.incoming`], { timeLimit: this.timeLimit, signal });
  }

  /** A NoCloud volume, which cloud-init in the guest reads at its first start. */
  private async makeSeed(
    host: Host,
    target: MachineTarget,
    { folder, seed }: MachineFiles,
    options: RunOptions,
  ): Promise<void> {
    const template = readFileSync(this.options.cloudInit?.userData ?? '', 'utf8');
    const name = nameOf(this.options.namePrefix, target);
    const values = seedValues(target, name, host.node.hostname);
    const source = `${folder}/seed`;
    await host.run('mkdir', ['-p', '--', source], options);
    await host.write(`${source}/user-data`, filled(template, values, yamlEscaped), options);
    await host.write(`${source}/meta-data`, metaData(name, values), options);
    const iso = ['-quiet', '-output', `${seed}.new`, '-volid', 'cidata', '-joliet', '-rock', source];
    await host.run('genisoimage', iso, options);
    await host.run('mv', ['-f', '--', `${seed}.new`, seed ?? ''], options);
  }
}
