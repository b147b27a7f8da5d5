import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export const read = (path: string): string => readFileSync(join(root, path), 'utf8');

export interface Import {
  /** For the project's own files a path from its root, otherwise what the import says. */
  readonly to: string;
  readonly own: boolean;
  /** Nothing is loaded for it when the program runs. */
  readonly typeOnly: boolean;
}

export interface Source {
  readonly path: string;
  /** The folder in src/ that it is in, or its own name for a file right in src/. */
  readonly room: string;
  readonly text: string;
  /** Without comments: good enough for sources that the formatter has laid out. */
  readonly code: string;
  readonly imports: readonly Import[];
}

export const roomOf = (path: string): string => path.split('/')[1] ?? path;

/** Files under a folder, as paths from the project's root with `/`, sorted. */
export function filesUnder(folder: string, extension: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(extension))
    .map((path) => posix.join(folder, path.replaceAll('\\', '/')))
    .sort();
}

const statement =
  /^(?:import|export)\s+(?<type>type\s)?(?:[^'"`;]*?\sfrom\s+)?['"](?<fixed>[^'"]+)['"]|\bimport\(\s*['"](?<dynamic>[^'"]+)['"]/gm;

const isGenerated = (path: string) => path.startsWith('src/store/prisma/') || path.includes('/generated/');

const all: readonly Source[] = filesUnder('src', '.ts').map((path) => {
  const text = read(path);
  const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1');
  return { path, room: roomOf(path), text, code, imports: importsOf(path, code) };
});

/** What people wrote. */
export const sources = all.filter(({ path }) => !isGenerated(path));
export const generated = all.filter(({ path }) => isGenerated(path));

function importsOf(path: string, code: string): Import[] {
  return [...code.matchAll(statement)].map(({ groups = {} }) => {
    const specifier = groups.fixed ?? groups.dynamic ?? '';
    const own = specifier.startsWith('.');
    const to = own ? posix.join(posix.dirname(path), specifier) : specifier;
    return { to, own, typeOnly: groups.type !== undefined };
  });
}
