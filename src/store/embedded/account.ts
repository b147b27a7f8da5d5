/** PostgreSQL refuses to run as root, so root starts it as another user. */
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

/** Starts programs as the owner of the database. */
export interface Launcher {
  launch(file: string, args: readonly string[]): Launch;
  /** Changes the owner of a folder and its contents to that user. */
  own(folder: string): Promise<void>;
}

const nobody: Account = { uid: 65_534, gid: 65_534 };

/**
 * `directory`: the database directory or its future parent. `needed`: paths that PostgreSQL must be able to access.
 * Throws StoreError if only root can access them.
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
  // Keeps one capability of root: entering folders closed to other users, such as root's home.
  const keep = ['--securebits=+no_setuid_fixup', '--inh-caps=-all,+dac_override', '--ambient-caps=-all,+dac_override'];
  const user = [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups'];
  return {
    launch: (file, args) => ({ file: setpriv, args: [...user, ...keep, file, ...args], options: {} }),
    own,
  };
}

/** A backup restored by root belongs to root. */
async function chownAll(folder: string, { uid, gid }: Account): Promise<void> {
  if ((await stat(folder)).uid === uid) return;
  for (const entry of await readdir(folder, { recursive: true })) await lchown(join(folder, entry), uid, gid);
  await chown(folder, uid, gid);
}

/** The current owner, unless that is root or an unknown user. */
async function accountOf(directory: string): Promise<Account> {
  const { uid, gid } = await stat(directory);
  if (uid === 0) return nobody;
  const accounts = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const known = accounts.split('\n').some((line) => line.split(':')[2] === String(uid));
  return known ? { uid, gid } : nobody;
}

/** The first folder on the paths that the account cannot enter; null if it can access all paths. */
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
