// Makes the Prisma client when it is missing or older than its schema. (It is not committed: `npm start` and `npm test`
// make it.)
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = join(root, 'src/store/prisma/.generated-from');

export function generatePrismaClient() {
  const inputs = ['prisma/schema.prisma', 'prisma.config.ts', 'node_modules/prisma/package.json'];
  const hash = createHash('sha256');
  for (const input of inputs) hash.update(readFileSync(join(root, input)));
  const current = hash.digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === current) return;
  const prisma = join(dirname(createRequire(import.meta.url).resolve('prisma/package.json')), 'build/index.js');
  try {
    execFileSync(process.execPath, [prisma, 'generate'], {
      cwd: root,
      stdio: 'pipe',
      encoding: 'utf8',
      // Its generators are looked up as commands.
      env: {
        ...process.env,
        PATH: `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH ?? ''}`,
      },
    });
  } catch (error) {
    console.error(`${error.stdout}${error.stderr}`);
    console.error('The Prisma client could not be made.');
    process.exit(1);
  }
  writeFileSync(stamp, current);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) generatePrismaClient();
