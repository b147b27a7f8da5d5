import type { Journal } from '../journal.ts';
import type { CachedImageRecord, DiskImage, Instant } from '../model/records.ts';

interface CachedImage {
  readonly image: DiskImage;
  timeout: Instant | null;
  /** Lease id -> its machines that use it. */
  readonly users: Map<number, Set<number>>;
}

/** The disk images that nodes cache for reuse, within a limit per node. */
export class ImageCaches {
  /** Node -> its images in the order in which they were cached. */
  private readonly nodes = new Map<number, CachedImage[]>();
  /** Set by every change, so that the site's record is written only when it is. */
  changed = false;

  constructor(
    /** MB per node; -1 is unlimited. */
    private readonly limit: number,
    private readonly journal: Journal,
    stored: readonly CachedImageRecord[] = [],
  ) {
    for (const { node, image, timeout, users } of stored) {
      const cached: CachedImage = { image, timeout, users: new Map() };
      for (const [lease, machine] of users) use(cached, lease, machine);
      this.on(node).push(cached);
    }
  }

  has(node: number, image: DiskImage): boolean {
    return this.find(node, image) !== undefined;
  }

  timeout(node: number, image: DiskImage): Instant | null {
    return this.find(node, image)?.timeout ?? null;
  }

  /** A lease's machine uses a cached image until `until` at least. */
  reuse(node: number, image: DiskImage, lease: number, machine: number, until: Instant): void {
    const cached = this.find(node, image);
    if (!cached) return;
    this.change(cached);
    use(cached, lease, machine);
    cached.timeout = later(cached.timeout, until);
  }

  /**
   * An image was delivered to a node. It is cached if there is room beside the images in use; others are evicted only
   * as far as needed (R28).
   */
  deliver(
    node: number,
    image: DiskImage,
    users: readonly (readonly [lease: number, machine: number])[],
    until: Instant | null,
  ): void {
    let cached = this.find(node, image);
    if (!cached) {
      if (!this.makeRoom(node, image.sizeMb)) return;
      cached = { image, timeout: null, users: new Map() };
      this.on(node).push(cached);
    }
    for (const [lease, machine] of users) use(cached, lease, machine);
    if (until !== null) cached.timeout = later(cached.timeout, until);
    this.changed = true;
  }

  /** The lease no longer uses any image. */
  release(lease: number): void {
    for (const images of this.nodes.values()) {
      for (const cached of images) {
        if (!cached.users.has(lease)) continue;
        this.change(cached);
        cached.users.delete(lease);
      }
    }
  }

  /** The node has lost all its images. */
  lose(node: number): void {
    const images = this.nodes.get(node);
    if (!images || images.length === 0) return;
    const { changed } = this;
    this.nodes.set(node, []);
    this.changed = true;
    this.journal.record(() => {
      this.nodes.set(node, images);
      this.changed = changed;
    });
  }

  private change(cached: CachedImage): void {
    const { changed } = this;
    this.changed = true;
    if (!this.journal.isOpen) return;
    const { timeout } = cached;
    const users = [...cached.users].map(([lease, machines]) => [lease, new Set(machines)] as const);
    this.journal.record(() => {
      this.changed = changed;
      cached.timeout = timeout;
      cached.users.clear();
      for (const [lease, machines] of users) cached.users.set(lease, machines);
    });
  }

  records(): CachedImageRecord[] {
    return [...this.nodes]
      .sort(([a], [b]) => a - b)
      .flatMap(([node, images]) =>
        images.map(({ image, timeout, users }) => ({
          node,
          image,
          timeout,
          users: [...users].flatMap(([lease, machines]) =>
            [...machines].map((machine): [number, number] => [lease, machine]),
          ),
        })),
      );
  }

  private makeRoom(node: number, size: number): boolean {
    if (this.limit < 0) return true;
    const images = this.on(node);
    const total = (of: readonly CachedImage[]) => of.reduce((sum, { image }) => sum + image.sizeMb, 0);
    if (size + total(images.filter(({ users }) => users.size > 0)) > this.limit) return false;
    while (size + total(images) > this.limit) {
      const unused = images.filter(({ users }) => users.size === 0);
      const oldest = unused.reduce((a, b) =>
        (b.timeout ?? Number.NEGATIVE_INFINITY) < (a.timeout ?? Number.NEGATIVE_INFINITY) ? b : a,
      );
      images.splice(images.indexOf(oldest), 1);
    }
    return true;
  }

  private on(node: number): CachedImage[] {
    const images = this.nodes.get(node) ?? [];
    this.nodes.set(node, images);
    return images;
  }

  private find(node: number, image: DiskImage): CachedImage | undefined {
    return this.nodes.get(node)?.find((cached) => cached.image.name === image.name);
  }
}

const use = (cached: CachedImage, lease: number, machine: number): void => {
  const machines = cached.users.get(lease) ?? new Set();
  machines.add(machine);
  cached.users.set(lease, machines);
};

const later = (a: Instant | null, b: Instant): Instant => (a === null ? b : Math.max(a, b));
