import type { Millis } from '../../core/index.ts';

/**
 * How to reach the libvirt of a node, and where its files are. `%h` stands for the node's address, `%n` for its number.
 */
export interface LibvirtNode {
  /** The libvirt URI, such as `qemu:///system`, `qemu+ssh://root@%h/system` or `test:///default`. */
  readonly uri: string;
  /** Absolute path on the host of the cached images and the machines' folders. */
  readonly directory: string;
  /** Prefix of commands on the host, such as `['sudo', '-n']`. Default: `ssh` if the URI uses ssh, otherwise none. */
  readonly via?: readonly string[];
  /**
   * The destination with which other hosts copy files, such as `root@%h`. Default: that of an ssh URI; none: the local
   * machine.
   */
  readonly copyHost?: string;
  /** Migration URI of the destination, such as `tcp://%h`. Default: chosen by libvirt. */
  readonly migrateUri?: string;
}

export interface LibvirtOptions extends LibvirtNode {
  /** Exceptions, by hostname. */
  readonly hosts?: Readonly<Record<string, Partial<LibvirtNode>>>;
  /** Prefix of domain names; sites that share a host need different ones. */
  readonly namePrefix: string;
  /** The domain template; null: the built-in one. */
  readonly template: string | null;
  /** Domain type for the template: `kvm`, `qemu` (software emulation) or `test` (test driver). */
  readonly domainType: string;
  /** Network of the machines, for the template; null: none. */
  readonly network: string | null;
  /** Grace period for a guest to shut down before it is destroyed. */
  readonly shutdownGrace: Millis;
  /** Time limit for saving, restoring and copying. */
  readonly timeLimit: Millis;
  /** Whether running machines may be migrated. */
  readonly liveMigration: boolean;
  readonly images: ImageOptions | null;
  readonly cloudInit: CloudInitOptions | null;
}

export interface ImageOptions {
  /** A local folder, or `host:folder` for rsync. Each image is a file with the image's name. */
  readonly repository: string;
  readonly format: 'qcow2' | 'raw';
  /** Maximum MB per host; null: no limit. */
  readonly cacheSizeMb: number | null;
}

export interface CloudInitOptions {
  /** A template of user-data. */
  readonly userData: string;
}
