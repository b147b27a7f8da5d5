import type { Millis } from '../../core/index.ts';

/**
 * How one node's libvirt is reached, and where it keeps its files. `%h` stands for the node's address, `%n` for its
 * number.
 */
export interface LibvirtNode {
  /** Such as `qemu:///system`, `qemu+ssh://root@%h/system` or `test:///default`. */
  readonly uri: string;
  /** Absolute, on the host: cached images, and a folder for each machine. */
  readonly directory: string;
  /**
   * What programs are started with on the host, such as `['sudo', '-n']`. Default: `ssh` where the URI goes through
   * ssh, else nothing.
   */
  readonly via?: readonly string[];
  /**
   * What other hosts copy to and from, such as `root@%h`. Default: as in a URI through ssh; none: it is this machine.
   */
  readonly copyHost?: string;
  /** Where live migrations arrive, such as `tcp://%h`. Default: libvirt finds out. */
  readonly migrateUri?: string;
}

export interface LibvirtOptions extends LibvirtNode {
  /** Exceptions, by hostname. */
  readonly hosts?: Readonly<Record<string, Partial<LibvirtNode>>>;
  /** Of domains: two sites on one host need two. */
  readonly namePrefix: string;
  /** A domain template; null: the built-in one. */
  readonly template: string | null;
  /** `qemu`: software emulation; `kvm`; `test` for the test driver. For the template. */
  readonly domainType: string;
  /** The network that machines are attached to; null: none. For the template. */
  readonly network: string | null;
  /** How long a guest has to shut down before it is destroyed. */
  readonly shutdownGrace: Millis;
  /** How long saving, restoring, copying and the like may take. */
  readonly timeLimit: Millis;
  /** Whether running machines may be moved. */
  readonly liveMigration: boolean;
  readonly images: ImageOptions | null;
  readonly cloudInit: CloudInitOptions | null;
}

export interface ImageOptions {
  /** A folder of this machine, or `host:folder` for rsync. An image is the file of its name. */
  readonly repository: string;
  readonly format: 'qcow2' | 'raw';
  /** MB on each host; null: no limit. */
  readonly cacheSizeMb: number | null;
}

export interface CloudInitOptions {
  /** A template of user-data. */
  readonly userData: string;
}
