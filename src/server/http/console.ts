import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Answer } from './answer.ts';
import { immutable, SharedFile } from './shared-file.ts';

/** The web console: a single page and hashed asset files. */
export interface Console {
  page(request: Request): Promise<Answer>;
  /** Null when the console has no such file. */
  asset(request: Request, name: string): Promise<Answer> | null;
}

export const consoleAssets = '/assets/';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Only files from this server may run or load. `'self'` includes WebSockets of the same origin. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** A worker has the policy of its own file, not that of the page. */
const assetHeaders = { ...immutable, 'content-security-policy': contentSecurityPolicy };

/** The directory of the built console: beside the bundle, or for the sources in dist/. Undefined when there is none. */
export function findConsole(): string | undefined {
  return ['./console/', '../../../dist/console/']
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(join(path, 'index.html')));
}

/** Reads what `npm run build` has made of console/; null when there is nothing. */
export function loadConsole(directory: string): Console | null {
  const page = join(directory, 'index.html');
  if (!existsSync(page)) return null;
  const index = new SharedFile('text/html; charset=utf-8', readFileSync(page), {
    'cache-control': 'no-cache',
    'content-security-policy': contentSecurityPolicy,
    'referrer-policy': 'no-referrer',
  });
  const folder = join(directory, 'assets');
  const files = new Map(
    readdirSync(folder).flatMap((name): [string, SharedFile][] => {
      const type = types[extname(name)];
      if (type === undefined) return [];
      return [[name, new SharedFile(type, readFileSync(join(folder, name)), assetHeaders)]];
    }),
  );
  return {
    page: (request) => index.answer(request),
    asset: (request, name) => files.get(name)?.answer(request) ?? null,
  };
}
