/** PostgreSQL refuses to run as root: started by root, it runs as another user. */
import type { SpawnOptions } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, lchown, readdir, readFile, stat } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { unavailable } from './program.ts';

interface Account {
  readonly uid: number;
  readonly gid: number;
}

export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly options: Pick<SpawnOptions, 'uid' | 'gid'>;
}

/** How to start programs as the user that the database belongs to. */
export interface Launcher {
  launch(file: string, args: readonly string[]): Launch;
  /** Makes a folder and what is in it belong to that user. */
  own(folder: string): Promise<void>;
}

const nobody: Account = { uid: 65_534, gid: 65_534 };

/**
 * `directory`: of the database, or the folder in which it will be. `needed`: the paths that PostgreSQL must be able to
 * reach. Throws StoreError where they cannot be reached by another user than root.
 */
export async function launcherFor(directory: string, needed: readonly string[]): Promise<Launcher> {
  if (process.getuid?.() !== 0) {
    return { launch: (file, args) => ({ file, args, options: {} }), own: async () => {} };
  }
  const account = await accountOf(directory);
  const own = (folder: string) => chownAll(folder, account);
  const closed = await firstClosed(needed, account);
  if (closed === null) return { launch: (file, args) => ({ file, args, options: account }), own };
  const setpriv = findSetpriv();
  if (setpriv === null) {
    throw unavailable(
      `PostgreSQL does not run as root, and other users cannot enter ${closed}. Start Leasegraph as another user, or in a folder that others can enter`,
    );
  }
  // A capability of root is kept: to enter folders that are closed to other users, as root's home is.
  const keep = [
    '--securebits=+no_setuid_fixup',
    '--inh-caps=-all,+dac_override',
    '--ambient-caps=-all,+dac_override',
  ];
  const user = [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups'];
  return {
    launch: (file, args) => ({ file: setpriv, args: [...user, ...keep, file, ...args], options: {} }),
    own,
  };
}

/** Backups that root restored belong to root. */
async function chownAll(folder: string, { uid, gid }: Account): Promise<void> {
  if ((await stat(folder)).uid === uid) return;
  for (const entry of await readdir(folder, { recursive: true })) await lchown(join(folder, entry), uid, gid);
  await chown(folder, uid, gid);
}

/** The owner of what is there, unless that is root or a user that this machine does not know. */
async function accountOf(directory: string): Promise<Account> {
  const { uid, gid } = await stat(directory);
  if (uid === 0) return nobody;
  const accounts = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const known = accounts.split('\n').some((line) => line.split(':')[2] === String(uid));
  return known ? { uid, gid } : nobody;
}

/** The first folder on the way to one of the paths that the account cannot enter; null when it can reach them all. */
async function firstClosed(paths: readonly string[], { uid, gid }: Account): Promise<string | null> {
  for (const path of paths) {
    for (let folder = path; ; folder = dirname(folder)) {
      const stats = await stat(folder);
      const shift = stats.uid === uid ? 6 : stats.gid === gid ? 3 : 0;
      if (((stats.mode >> shift) & 1) === 0) return folder;
      if (folder === dirname(folder)) break;
    }
  }
  return null;
}

function findSetpriv(): string | null {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin'];
  const files = folders.filter((folder) => folder !== '').map((folder) => join(folder, 'setpriv'));
  return files.find((file) => existsSync(file)) ?? null;
}
