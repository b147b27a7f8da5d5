/**
 * A new embedded database takes PostgreSQL seconds to make. The build makes one, migrated and empty, and packs it into a file, from
 * which a new one is unpacked in a fraction of that.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { migrationsDirectory, readMigrations } from './migrate.ts';

interface Entry {
  /** Relative, with slashes. */
  readonly path: string;
  /** Bytes; null for a directory. */
  readonly size: number | null;
}

const concurrency = 16;

/** Where the build puts the template; another version of PGlite or other migrations make another name. */
export async function templateFile(): Promise<string> {
  const hash = createHash('sha256');
  const library = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  hash.update(await readFile(join(dirname(library), '../package.json')));
  for (const { name, sql } of await readMigrations()) hash.update(`${name}\0${sql}\0`);
  const name = `embedded-database-${hash.digest('hex').slice(0, 16)}.gz`;
  return join(migrationsDirectory(), '../../dist', name);
}

export async function pack(directory: string, file: string): Promise<void> {
  const entries: Entry[] = [];
  const contents: Buffer[] = [];
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const content = entry.isDirectory() ? null : await readFile(path);
    if (content !== null) contents.push(content);
    const relative = path.slice(directory.length + 1).replaceAll('\\', '/');
    entries.push({ path: relative, size: content?.length ?? null });
  }
  const header = Buffer.from(`${JSON.stringify(entries)}\n`);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, await promisify(gzip)(Buffer.concat([header, ...contents])));
}

/** Fills the directory from the template and says whether there was one. A template that cannot be read counts as none. */
export async function unpack(directory: string, file: string): Promise<boolean> {
  if (!existsSync(file)) return false;
  try {
    const bytes = await promisify(gunzip)(await readFile(file));
    let offset = bytes.indexOf('\n') + 1;
    const entries = JSON.parse(bytes.toString('utf8', 0, offset)) as readonly Entry[];
    const files: [string, Buffer][] = [];
    await mkdir(directory, { recursive: true, mode: 0o700 });
    for (const { path, size } of entries) {
      if (size === null) await mkdir(join(directory, path), { recursive: true });
      else files.push([join(directory, path), bytes.subarray(offset, offset + size)]);
      offset += size ?? 0;
    }
    if (offset !== bytes.length) throw new Error('cut short');
    await each(files, ([path, content]) => writeFile(path, content));
    return true;
  } catch {
    await rm(directory, { recursive: true, force: true });
    return false;
  }
}

/** Makes everything below the directory survive a power failure. */
export async function flush(directory: string): Promise<void> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  await each([directory, ...entries.map((entry) => join(entry.parentPath, entry.name))], async (path) => {
    // PostgreSQL may have removed it meanwhile, and some systems do not open directories.
    const handle = await open(path, 'r').catch(() => null);
    await handle?.sync().catch(() => {});
    await handle?.close();
  });
}

async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
