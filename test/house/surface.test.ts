/**
 * What core and engine show to the other rooms, as the compiler declares it. A change of this snapshot is a change of a
 * contract: `npx vitest run test/house/surface.test.ts -u`, and read what it changed.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from './sources.ts';

const doors = ['src/core/index.ts', 'src/engine/index.ts'];
let declarations: string;

beforeAll(() => {
  declarations = mkdtempSync(join(tmpdir(), 'leasegraph-surface-'));
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  const emit = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--removeComments'];
  // It declares what it can also where it finds errors: those are for `npm run typecheck` to tell.
  const options = ['-p', 'test/house', ...emit, '--rootDir', '.', '--outDir', declarations];
  spawnSync(process.execPath, [tsc, ...options], { cwd: root, stdio: 'ignore' });
});

afterAll(() => rmSync(declarations, { recursive: true, force: true }));

/** Declarations start in the first column. */
const statements = (path: string): string[] =>
  readFileSync(join(declarations, path.replace(/\.ts$/, '.d.ts')), 'utf8')
    .split(/\n(?=[^\s})])/)
    .map((each) => each.trim());

const declared = /^export (?:declare )?(?:abstract )?(?:class|interface|type|const|function|enum) (\w+)/;
const reexport = /^export (?:type )?(?:\*|\{(?<names>[^}]*)\}) from '(?<from>[^']+)'/s;

/** Name -> declaration, of everything that a module exports. */
function exportsOf(path: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const statement of statements(path)) {
    const name = declared.exec(statement)?.[1];
    if (name !== undefined) found.set(name, `${found.get(name) ?? ''}${statement}\n`);
    const { from, names } = reexport.exec(statement)?.groups ?? {};
    if (from === undefined) continue;
    const inner = exportsOf(posix.join(posix.dirname(path), from));
    const wanted = names?.split(',').map((each) => each.replace(/^\s*type\s/, '').trim());
    for (const each of wanted ?? inner.keys()) {
      const declaration = inner.get(each);
      if (declaration === undefined) throw new Error(`${path}: cannot find the declaration of ${each}`);
      found.set(each, declaration);
    }
  }
  return found;
}

test.each(doors)('%s', async (door) => {
  const surface = [...exportsOf(door)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, declaration]) => declaration.replaceAll(/^ +private .*\n/gm, ''));
  await expect(surface.join('\n')).toMatchFileSnapshot(`surface/${door.split('/')[1]}.d.ts.snap`);
});
