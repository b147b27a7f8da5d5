/** Disk images on a host: a cache of base images, and one overlay per machine. */
import { randomUUID } from 'node:crypto';
import type { Millis } from '../../core/index.ts';
import type { Host, RunOptions } from './host.ts';
import type { ImageOptions } from './options.ts';

/** The image is not available; a retry would fail as well. */
export class ImageError extends Error {
  override readonly name = 'ImageError';
}

export class Images {
  /** Current transfers by host and image: machines that wait for the same image share its transfer. */
  private readonly transfers = new Map<string, Promise<string>>();

  constructor(
    private readonly options: ImageOptions,
    private readonly timeLimit: Millis,
    /** Images that the plan keeps on a node; null: it plans no caches. */
    private readonly planned: (node: number) => readonly string[] | null = () => null,
  ) {}

  /** Transfers an image to the cache of the host and returns its path. */
  async cached(host: Host, image: string, signal: AbortSignal): Promise<string> {
    const key = `${host.node.number} ${image}`;
    let transfer = this.transfers.get(key);
    if (!transfer) {
      transfer = this.bring(host, image).finally(() => this.transfers.delete(key));
      this.transfers.set(key, transfer);
      transfer.catch(() => {});
    }
    const path = await transfer;
    signal.throwIfAborted();
    return path;
  }

  /** Creates the disk of a machine as an overlay of the base image. */
  async overlay(host: Host, base: string, disk: string, options: RunOptions): Promise<void> {
    const { format } = this.options;
    await host.run('qemu-img', ['create', '-q', '-f', 'qcow2', '-F', format, '-b', base, disk], options);
  }

  /** Rebases an overlay copied from another host onto the same base image of this host. */
  async rebase(host: Host, base: string, disk: string, options: RunOptions): Promise<void> {
    const { format } = this.options;
    await host.run('qemu-img', ['rebase', '-q', '-u', '-F', format, '-b', base, disk], options);
  }

  /** The path of an image in the host's cache. An image named in the file `base` of a machine is not evicted. */
  pathOf(host: Host, image: string): string {
    return host.path('images', image);
  }

  private async bring(host: Host, image: string): Promise<string> {
    if (/[/\0\n]/.test(image) || image === '' || image.startsWith('.'))
      throw new ImageError(`${JSON.stringify(image)} is no name of an image: it has to be a file's name`);
    const options: RunOptions = { timeLimit: this.timeLimit, signal: new AbortController().signal };
    const path = this.pathOf(host, image);
    await host.run('mkdir', ['-p', '--', host.path('images')], options);
    if (await host.exists(path, options)) {
      // Marks the image as recently used.
      await host.run('touch', ['--', path], options);
      return path;
    }
    // Another server may transfer it at the same time.
    const part = host.path('images', `.${randomUUID()}.part`);
    await this.copy(host, image, part, options);
    await this.evict(host, part, options);
    // Copying keeps the time of the original, by which the image would be the first to be evicted.
    await host.run('touch', ['--', part], options);
    await host.run('mv', ['-f', '--', part, path], options);
    return path;
  }

  private async copy(host: Host, image: string, to: string, options: RunOptions): Promise<void> {
    const { repository } = this.options;
    const source = `${repository.replace(/\/$/, '')}/${image}`;
    const isRemote = /^[^/]+:/.test(repository);
    try {
      if (isRemote || host.copyHost === null)
        await (isRemote
          ? host.run('rsync', ['-aLs', '--', source, to], options)
          : host.run('cp', ['-L', '--reflink=auto', '--', source, to], options));
      else await host.push(source, to, options);
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      if (/No such file/.test(words)) throw new ImageError(`there is no image ${image} in ${repository}`);
      throw error;
    }
  }

  /**
   * Makes room for an image. What the plan keeps stays, and what it does not keep and no machine uses goes. Without a
   * plan for caches, those go that no machine uses, the least recently used first, as far as needed.
   */
  private async evict(host: Host, part: string, options: RunOptions): Promise<void> {
    const { cacheSizeMb } = this.options;
    // Deletes remains of interrupted transfers.
    const old = ['-name', '.*.part', '-mmin', '+1440', '-delete'];
    await host.run('find', [host.path('images'), ...old], options);
    const planned = this.planned(host.node.number);
    if (cacheSizeMb === null && planned === null) return;
    const files = (await host.run('find', [host.path('images'), '-type', 'f', '-printf', '%T@ %s %p\\n'], options))
      .split('\n')
      .flatMap((line) => {
        const [, at, size, path = ''] = /^(\S+) (\d+) (.*)$/.exec(line) ?? [];
        return at === undefined ? [] : [{ at: Number(at), size: Number(size), path }];
      })
      .sort((a, b) => a.at - b.at);
    const used = await this.inUse(host, options);
    const kept = new Set(planned?.map((image) => this.pathOf(host, image)));
    const limit = planned === null && cacheSizeMb !== null ? cacheSizeMb * 1_000_000 : 0;
    let excess = files.reduce((sum, { size }) => sum + size, 0) - limit;
    for (const { path, size } of files) {
      if (excess <= 0) return;
      if (path === part || path.endsWith('.part') || used.has(path) || kept.has(path)) continue;
      await host.run('rm', ['-f', '--', path], options);
      excess -= size;
    }
  }

  /** Base images of existing overlays. */
  private async inUse(host: Host, options: RunOptions): Promise<ReadonlySet<string>> {
    const folder = host.path('machines');
    const { stdout } = await host.attempt('find', [folder, '-name', 'base', '-exec', 'cat', '{}', '+'], options);
    return new Set(stdout.split('\n').filter((line) => line !== ''));
  }
}
