import { afterAll, describe, expect, it } from 'vitest';
import { apiOnNewDatabase, token } from '../api/fixture.ts';

const api = await apiOnNewDatabase();
afterAll(() => api[Symbol.asyncDispose]());

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  api.app.fetch(new Request(`http://localhost${path}`, { method, headers }));
const page = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const assetsOf = (html: string) =>
  [...html.matchAll(/<(?:script|link)\b[^>]*(?:src|href)="(graphql\/assets\/[^"]+)"/g)].map(([, path]) => `/${path}`);

describe('GraphiQL', () => {
  it('is served by this server only, without authentication, and asks for the token', async () => {
    const response = await get('/graphql', page);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    const html = await response.text();
    expect(html.length).toBeLessThan(30_000);
    const tags = html.match(/<(script|link|img|iframe)\b[^>]*(src|href)="[^"]*"/g) ?? [];
    expect(tags.filter((tag) => /="(https?:)?\/\//.test(tag))).toEqual([]);
    // Every script is a file: the policy allows no other.
    expect(html.match(/<script/g)).toEqual(['<script']);
    const [script = ''] = assetsOf(html).filter((path) => path.endsWith('.js'));
    const code = await (await get(script)).text();
    expect(code).toContain('sessionStorage.setItem(key, token)');
    expect(code).toContain('renderYogaGraphiQL');
    expect(html + code).not.toContain(token);
  });

  it('names its files by their content, so that browsers can cache them', async () => {
    const paths = assetsOf(await (await get('/graphql', page)).text());
    expect(paths.map((path) => path.replace(/[0-9a-f]{16}/, 'HASH')).sort()).toEqual([
      '/graphql/assets/favicon-HASH',
      '/graphql/assets/graphiql-HASH.css',
      '/graphql/assets/graphiql-HASH.js',
    ]);
    for (const path of paths) {
      const response = await get(path);
      expect([response.status, response.headers.get('cache-control')]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ]);
    }
    expect((await get('/graphql/assets/graphiql-0000000000000000.js')).status).toBe(404);
  });

  it('is compressed in the encoding that the browser prefers', async () => {
    const [script = ''] = assetsOf(await (await get('/graphql', page)).text()).filter((path) => path.endsWith('.js'));
    const plain = (await (await get(script)).arrayBuffer()).byteLength;
    for (const [accepted, encoding] of [
      ['gzip, br', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0.5, gzip', 'gzip'],
      ['gzip;q=0, identity', null],
    ] as const) {
      const response = await get(script, { 'accept-encoding': accepted });
      expect([accepted, response.headers.get('content-encoding')]).toEqual([accepted, encoding]);
      expect(response.headers.get('vary')).toContain('accept-encoding');
      const { byteLength } = await response.arrayBuffer();
      if (encoding === null) expect(byteLength).toBe(plain);
      else expect(byteLength).toBeLessThan(plain / 2.5);
    }
  });

  it('is not sent again to a browser that has cached it', async () => {
    const first = await get('/graphql', { ...page, 'accept-encoding': 'gzip' });
    const etag = first.headers.get('etag') ?? '';
    expect([first.headers.get('cache-control'), etag]).toEqual([
      'no-cache',
      expect.stringMatching(/^"[0-9a-f]{16}-gzip"$/),
    ]);
    const again = await get('/graphql', { ...page, 'accept-encoding': 'gzip', 'if-none-match': etag });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    const head = await get('/graphql', page, 'HEAD');
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('does not bypass authentication', async () => {
    const response = await get('/graphql?query={serverTime}', page);
    expect(await response.text()).not.toMatch(/"serverTime":"\d/);
  });
});
