import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { pino } from 'pino';
import { afterAll, describe, expect, it } from 'vitest';
import { type Answer, type Api, apiOn, apiOnNewDatabase, token } from '../api/fixture.ts';

const api = await apiOnNewDatabase();
const scratch = mkdtempSync(join(tmpdir(), 'leasegraph-headers-'));
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  rmSync(scratch, { recursive: true, force: true });
});

const authorization = `Bearer ${token}`;
const post = (body: unknown, headers: Record<string, string> = {}, on: Api = api) =>
  on.app.fetch(
    new Request('http://localhost/graphql', {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  );
const query = '{ serverTime }';

describe('responses', () => {
  it('are not cached', async () => {
    const { headers } = await post({ query });
    expect([headers.get('cache-control'), headers.get('vary')]).toEqual(['no-store', 'accept, accept-encoding']);
  });

  it('are compressed with an encoding that the client accepts, unless they are small', async () => {
    const large = { query: '{ __schema { types { name description } } }' };
    const plain = JSON.parse(await (await post(large)).text()) as Answer;
    for (const [accepted, encoding, decode] of [
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
    ] as const) {
      const response = await post(large, { 'accept-encoding': accepted });
      expect(response.headers.get('content-encoding')).toBe(encoding);
      const bytes = Buffer.from(await response.arrayBuffer());
      const text = decode(bytes).toString();
      expect(bytes.length).toBeLessThan(text.length / 2);
      expect(JSON.parse(text).data).toEqual(plain.data);
    }
    const small = await post({ query }, { 'accept-encoding': 'gzip, br' });
    expect(small.headers.get('content-encoding')).toBeNull();
  });

  it('contain the id of the request, which the client may set', async () => {
    const idOf = async (headers: Record<string, string>, body: unknown = { query }) =>
      (await post(body, headers)).headers.get('x-request-id');
    expect(await idOf({ 'x-request-id': 'job-4711/2' })).toBe('job-4711/2');
    expect(await idOf({ 'x-request-id': 'x'.repeat(129) })).toMatch(/^[0-9a-f-]{36}$/);
    expect(await idOf({})).not.toBe(await idOf({}));
    expect(await idOf({ 'x-request-id': 'a', authorization: 'Bearer wrong' })).toBe('a');
    const refused = 'mutation { cancelLease(input: { id: "x" }) { userErrors { code } } }';
    expect(await idOf({ 'x-request-id': 'b' }, { query: refused })).toBe('b');
  });

  it('contain the same id as the log after an unexpected error', async () => {
    const lines: string[] = [];
    const own = apiOn(api.prisma, {
      log: pino({ level: 'error' }, { write: (line: string) => void lines.push(line) }),
    });
    own.leases.now = () => {
      throw new Error('a defect');
    };
    const response = await post({ query }, { 'x-request-id': 'job-1' }, own);
    expect(await response.json()).toMatchObject({
      errors: [{ extensions: { code: 'INTERNAL', requestId: 'job-1' } }],
    });
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ requestId: 'job-1', err: { message: 'a defect' } }]);
  });
});

describe('request bodies', () => {
  it('are JSON, with any spelling of the content type', async () => {
    expect((await post({ query }, { 'content-type': 'APPLICATION/JSON; charset=UTF-8' })).status).toBe(200);
  });

  it('are not quoted when they are not JSON', async () => {
    const response = await post('{"query": "secret-4711');
    const text = await response.text();
    expect([response.status, text]).toEqual([400, expect.stringContaining('"code":"BAD_REQUEST"')]);
    expect(text).not.toContain('4711');
  });

  it.each([null, 1, 'must be objects: %j', []])('are objects: %j', async (body) => {
    const response = await post(JSON.stringify(body));
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('BAD_REQUEST')]);
  });
});

describe('pages of other sites', () => {
  const origin = 'https://console.example.org';
  const open = apiOn(api.prisma, { cors: { origins: [origin] } });
  const preflight = (from: string, on: Api) =>
    on.app.fetch(
      new Request('http://localhost/graphql', {
        method: 'OPTIONS',
        headers: {
          origin: from,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization',
        },
      }),
    );

  it('may use the API if their origin is listed', async () => {
    const allowed = await preflight(origin, open);
    expect([allowed.status, Object.fromEntries(allowed.headers)]).toMatchObject([
      204,
      {
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers': expect.stringContaining('authorization'),
        vary: 'origin',
      },
    ]);
    const answer = await post({ query }, { origin }, open);
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answer.headers.get('access-control-expose-headers')).toContain('x-request-id');
    expect(answer.headers.get('vary')).toBe('accept, accept-encoding, origin');
    const refused = await post({ query }, { origin, authorization: 'Bearer wrong' }, open);
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, origin]);
  });

  it('may not use the API if their origin is not listed or no list is configured', async () => {
    const other = await preflight('https://elsewhere.example', open);
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
    const none = await preflight(origin, api);
    expect([none.status, none.headers.get('access-control-allow-origin')]).toEqual([401, null]);
  });
});

describe('persisted documents', () => {
  const sha256Hash = createHash('sha256').update(query).digest('hex');
  const persistedQuery = { version: 1, sha256Hash };
  const codeOf = async (response: Response) => [
    response.status,
    ((await response.json()) as { errors?: { extensions: { code: string } }[] }).errors?.[0]?.extensions.code,
  ];
  const file = (name: string, content: unknown) => {
    const path = join(scratch, name);
    writeFileSync(path, JSON.stringify(content));
    return path;
  };
  const apollo = file('apollo.json', {
    format: 'apollo-persisted-query-manifest',
    version: 1,
    operations: [{ id: sha256Hash, name: 'Time', type: 'query', body: query }],
  });

  it('are not supported without a manifest, so that clients send the whole document', async () => {
    expect(await codeOf(await post({ extensions: { persistedQuery } }))).toEqual([
      200,
      'PERSISTED_QUERY_NOT_SUPPORTED',
    ]);
    expect(await codeOf(await post({ query, extensions: { persistedQuery } }))).toEqual([200, undefined]);
    expect(await codeOf(await post({ variables: {} }))).toEqual([200, 'BAD_REQUEST']);
  });

  it.each([
    ['an object', () => file('object.json', { [sha256Hash]: query })],
    ['a manifest of Apollo', () => apollo],
  ])('are found in %s by their hash', async (_what, manifest) => {
    const own = apiOn(api.prisma, { persistedDocuments: { manifest: manifest(), only: false } });
    const answers = await Promise.all(
      [{ extensions: { persistedQuery } }, { documentId: sha256Hash }].map((body) => post(body, {}, own)),
    );
    for (const answer of answers) expect(await answer.json()).toHaveProperty('data.serverTime');
    const get = new URL('http://localhost/graphql');
    get.searchParams.set('extensions', JSON.stringify({ persistedQuery }));
    const got = await own.app.fetch(new Request(get, { headers: { authorization } }));
    expect(await got.json()).toHaveProperty('data.serverTime');
    const unknown = { extensions: { persistedQuery: { version: 1, sha256Hash: '0'.repeat(64) } } };
    expect(await codeOf(await post(unknown, {}, own))).toEqual([200, 'PERSISTED_QUERY_NOT_FOUND']);
  });

  it('can be made mandatory', async () => {
    const own = apiOn(api.prisma, { persistedDocuments: { manifest: apollo, only: true } });
    expect(await codeOf(await post({ extensions: { persistedQuery } }, {}, own))).toEqual([200, undefined]);
    expect(await codeOf(await post({ query }, {}, own))).toEqual([200, undefined]);
    expect(await codeOf(await post({ query: '{ site { name } }' }, {}, own))).toEqual([
      400,
      'PERSISTED_DOCUMENTS_ONLY',
    ]);
  });

  it('are refused at the start if the manifest cannot be read', () => {
    const start = (manifest: string) => () => apiOn(api.prisma, { persistedDocuments: { manifest, only: false } });
    expect(start(join(scratch, 'none.json'))).toThrow(/none\.json: the persisted documents cannot be read/);
    expect(start(file('numbers.json', { a: 1 }))).toThrow(/must be an object of identifiers and documents/);
  });
});
