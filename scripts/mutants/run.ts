/**
 * The mutation run: `npm run mutants [-- FILTER]`. Makes one small fault after the other in a copy of the sources and
 * runs the tests that have to find it. Prints the mutants that survive and the score; exits with 1 when one survives or
 * no longer applies.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Mutant, mutants } from './list.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const copied = [
  'src',
  'test',
  'prisma',
  'scripts',
  'docs',
  'dist',
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
];
const timeoutMs = 180_000;

const filter = process.argv[2] ?? '';
const chosen = mutants.filter(({ name, file }) => `${file} ${name}`.includes(filter));
const copy = mkdtempSync(join(tmpdir(), 'leasegraph-mutants-'));
const survivors: Mutant[] = [];
const inapplicable: Mutant[] = [];
try {
  for (const path of copied) cpSync(join(root, path), join(copy, path), { recursive: true, force: true });
  for (const path of ['node_modules', 'schema.graphql', 'prisma.config.ts', 'README.md', 'bench', 'CHANGELOG.md'])
    symlinkSync(join(root, path), join(copy, path));
  for (const mutant of chosen) report(mutant, outcomeOf(mutant));
} finally {
  rmSync(copy, { recursive: true, force: true });
}

const killed = chosen.length - survivors.length - inapplicable.length;
console.log(`${killed} of ${chosen.length} mutants found`);
process.exitCode = killed === chosen.length ? 0 : 1;

type Outcome = 'found' | 'survives' | 'does not apply';

function outcomeOf({ file, find, replace, tests }: Mutant): Outcome {
  const path = join(copy, file);
  const original = readFileSync(path, 'utf8');
  if (original.split(find).length !== 2) return 'does not apply';
  writeFileSync(
    path,
    original.replace(find, () => replace),
  );
  try {
    const run = spawnSync('npx', ['vitest', 'run', ...tests, '--bail=1', '--reporter=dot'], {
      cwd: copy,
      stdio: 'ignore',
      timeout: timeoutMs,
    });
    return run.status === 0 ? 'survives' : 'found';
  } finally {
    writeFileSync(path, original);
  }
}

function report(mutant: Mutant, outcome: Outcome): void {
  if (outcome === 'survives') survivors.push(mutant);
  if (outcome === 'does not apply') inapplicable.push(mutant);
  console.log(`${outcome}: ${mutant.file}: ${mutant.name}`);
}
