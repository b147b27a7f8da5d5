import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { getIntrospectionQuery } from 'graphql';
import { serverAudits } from 'graphql-http';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { PrismaClient } from '../../src/store/prisma/client.ts';
import { type Api, apiOn, apiOnNewDatabase, graphqlRequest, lease, token } from '../api/fixture.ts';

const registry = new Registry();
const api = await apiOnNewDatabase({ registry });
afterAll(() => api[Symbol.asyncDispose]());

const authorization = `Bearer ${token}`;
const send = (path: string, init: RequestInit = {}, on: Api = api) =>
  on.app.fetch(new Request(`http://localhost${path}`, init));
const codeOf = async (response: Response) =>
  ((await response.json()) as { errors: { extensions: { code: string } }[] }).errors[0]?.extensions.code;

it('redirects a browser at the root to GraphiQL', async () => {
  const response = await send('/', { headers: { accept: 'text/html,*/*;q=0.8' }, redirect: 'manual' });
  expect([response.status, response.headers.get('location')]).toEqual([302, '/graphql']);
});

describe('the web console', () => {
  const page = '<!doctype html><title>Leasegraph</title>';

  /** A server with a console of one page. */
  function withConsole(): Api {
    const directory = mkdtempSync(join(tmpdir(), 'console-'));
    mkdirSync(join(directory, 'assets'));
    writeFileSync(join(directory, 'index.html'), page);
    onTestFinished(() => rmSync(directory, { recursive: true }));
    return apiOn(api.prisma, { consoleDirectory: directory });
  }

  it('is served at the root without a token, unless the request names other types', async () => {
    const served = withConsole();
    const root = async (accept?: string, init: RequestInit = {}, path = '/') => {
      const headers: HeadersInit = accept === undefined ? {} : { accept };
      const response = await send(path, { headers, ...init }, served);
      return [response.status, response.headers.get('content-type')?.split(';')[0]];
    };
    const html = [200, 'text/html'];
    const refused = [401, 'application/json'];
    expect(await (await send('/', { headers: { accept: '*/*' } }, served)).text()).toBe(page);
    for (const accept of [undefined, '*/*', '*/*;q=0.8', 'text/*, */*;q=0.1', 'text/html,*/*;q=0.8'])
      expect([accept, await root(accept), await root(accept, { method: 'HEAD' })]).toEqual([accept, html, html]);
    const others = ['application/json', 'application/json, text/plain, */*', 'text/plain'];
    for (const accept of [...others, 'text/html;q=0, application/json', '*/*;q=0'])
      expect([accept, await root(accept)]).toEqual([accept, refused]);
    expect(await root('*/*', { method: 'POST' })).toEqual(refused);
    expect(await root('text/html', {}, '/leases')).toEqual(html);
    expect(await root('*/*', {}, '/leases')).toEqual(refused);
    expect(await root('*/*', {}, '/graphql')).toEqual(refused);
    expect(await root('*/*', {}, '/metrics')).toEqual(refused);
  });
});

describe('authentication', () => {
  const query = '/graphql?query={serverTime}';

  it.each([
    ['no header', undefined],
    ['another token', `Bearer ${token}x`],
    ['a part of the token', `Bearer ${token.slice(0, -1)}`],
    ['an empty token', 'Bearer '],
    ['the token alone', token],
    ['another scheme', `Basic ${btoa(`admin:${token}`)}`],
    ['two tokens', `Bearer ${token} ${token}`],
  ])('refuses %s, everywhere', async (_what, header) => {
    for (const path of [query, '/metrics', '/', '/nowhere', '/graphql/', '/livez/', '/x/livez']) {
      const response = await send(path, header === undefined ? {} : { headers: { authorization: header } });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toContain('Bearer');
      expect(response.headers.get('content-type')).toContain('application/json');
      expect(await codeOf(response)).toBe('UNAUTHENTICATED');
    }
  });

  it('accepts the token, whatever the case of the scheme', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const response = await send(query, { headers: { authorization: `${scheme} ${token}` } });
      expect(response.status).toBe(200);
    }
  });

  it('refuses forms submitted from other sites', async () => {
    const form = (type: string) =>
      send('/graphql', {
        method: 'POST',
        headers: { authorization, 'content-type': type },
        body: 'query={serverTime}',
      });
    for (const type of [
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/plain',
      'application/graphql',
      'application/json; charset=utf-16',
      'application/json;version=1; charset="ISO-8859-1"',
    ]) {
      const response = await form(type);
      expect([type, response.status]).toEqual([type, 415]);
    }
    const preflight = await send('/graphql', {
      method: 'OPTIONS',
      headers: { origin: 'https://elsewhere.example' },
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('never logs the token', async () => {
    const lines: string[] = [];
    const logged = apiOn(api.prisma, {
      log: pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }),
    });
    logged.leases.now = () => {
      throw new Error('an unexpected error');
    };
    await logged.ask('{ serverTime }');
    await send(query, { headers: { authorization: `${authorization}x` } }, logged);
    expect(lines.join('')).toContain('an unexpected error');
    expect(lines.join('')).not.toContain(token);
  });
});

describe('health and metrics', () => {
  it('report liveness, and readiness when the engine has no problems', async () => {
    const fresh = apiOn(api.prisma);
    expect((await send('/livez', {}, fresh)).status).toBe(200);
    const ready = await send('/readyz', {}, fresh);
    expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready' }]);
    fresh.leases.problems = ['The database is out of reach.'];
    const unready = await send('/readyz', {}, fresh);
    expect([unready.status, await unready.json()]).toEqual([503, { status: 'not ready' }]);
    expect(unready.headers.get('retry-after')).toBe('2');
    const inWords = await send('/readyz', { headers: { authorization } }, fresh);
    expect([inWords.status, await inWords.json()]).toEqual([
      503,
      { status: 'not ready', role: 'writer', problems: ['The database is out of reach.'] },
    ]);
    expect((await send('/livez', {}, fresh)).status).toBe(200);
  });

  it('hide internal details of errors', async () => {
    const broken = new Registry();
    broken.metrics = () => Promise.reject(new Error('secret'));
    const response = await send('/metrics', { headers: { authorization } }, apiOn(api.prisma, { registry: broken }));
    expect(response.status).toBe(500);
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(await codeOf(response.clone())).toBe('INTERNAL');
    expect(await response.text()).not.toMatch(/secret|at .*:\d+/);
  });

  it('count operations', async () => {
    await api.ask('{ serverTime }');
    await api.ask('mutation { cancelLease(input: { id: "x" }) { userErrors { code } } }');
    const response = await send('/metrics', { headers: { authorization } });
    expect(response.headers.get('content-type')).toContain('text/plain');
    const text = await response.text();
    expect(text).toMatch(/leasegraph_graphql_seconds_count\{operation="query",outcome="ok"\} [1-9]/);
    expect(text).toMatch(/leasegraph_graphql_seconds_count\{operation="mutation",outcome="ok"\} [1-9]/);
  });

  it('answer other paths with the path of GraphQL', async () => {
    const response = await send('/grapql', { headers: { authorization } });
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('/graphql');
  });
});

describe('limits', () => {
  const introspection = getIntrospectionQuery();
  const nested = (depth: number) =>
    `{ leases { nodes { ${'reservations(first: 1) { nodes { lease { '.repeat(depth)} number ${'} } }'.repeat(depth)} } } }`;

  it('allow introspection', async () => {
    const { data, errors } = await api.ask(introspection);
    expect(errors).toBeUndefined();
    expect(data.__schema.types.length).toBeGreaterThan(20);
  });

  it.each([
    ['depth', 'OPERATION_TOO_LARGE', nested(5)],
    [
      'aliases',
      'OPERATION_TOO_LARGE',
      `{ ${Array.from({ length: 101 }, (_, index) => `a${index}: serverTime`).join(' ')} }`,
    ],
    [
      'aliases in fragments',
      'OPERATION_TOO_LARGE',
      `{ ${'...F '.repeat(11)} } fragment F on Query { ${Array.from({ length: 10 }, (_, index) => `a${index}: serverTime`).join(' ')} }`,
    ],
    [
      'cost',
      'OPERATION_TOO_LARGE',
      '{ leases(first: 100) { nodes { reservations(first: 100) { nodes { nodes { hostname } targets { machine } } } } } }',
    ],
    [
      'fragments of fragments',
      'OPERATION_TOO_LARGE',
      `{ ...F0 } ${Array.from({ length: 40 }, (_, index) => `fragment F${index} on Query { ...F${index + 1} ...F${index + 1} }`).join(' ')} fragment F40 on Query { leases { nodes { id } } }`,
    ],
    [
      'repeated introspection',
      'OPERATION_TOO_LARGE',
      `{ ${Array.from({ length: 100 }, (_, index) => `a${index}: __schema { types { name } }`).join(' ')} leases { nodes { id } } }`,
    ],
    ['tokens', undefined, `{ ${'serverTime '.repeat(5_001)} }`],
  ])('bounds %s', async (_what, code, query) => {
    const started = performance.now();
    const response = await api.post(query);
    const { errors } = (await response.json()) as {
      errors: { extensions?: { code?: string }; message: string }[];
    };
    expect(errors).toHaveLength(1);
    if (code) expect(errors[0]?.extensions?.code).toBe(code);
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('count pages by the actual variables', async () => {
    const query =
      'query ($n: Int) { leases(first: $n) { nodes { reservations(first: 100) { nodes { nodes { hostname } targets { machine } } } } } }';
    expect((await api.ask(query, { n: 10 })).errors).toBeUndefined();
    expect((await api.ask(query, { n: 100 })).errors?.[0]?.extensions?.code).toBe('OPERATION_TOO_LARGE');
    expect((await api.ask(query, { n: 10 })).errors).toBeUndefined();
  });

  it('allow common operations', async () => {
    const { errors } = await api.ask(`{
      leases(first: 100) { totalCount edges { cursor node { number machines { node { hostname } } reservations(first: 20) { nodes { start end nodes { hostname } } } } } }
      nodes(first: 100) { nodes { available { amount } reservations(first: 20) { nodes { lease { number } } } } }
    }`);
    expect(errors).toBeUndefined();
  });

  it.each([
    ['selections', `{ ${'leases { nodes '.repeat(1_000)}`],
    ['lists', `{ leases(filter: ${'['.repeat(4_900)}`],
    ['lists that end', `{ leases(filter: ${'['.repeat(2_400)}${']'.repeat(2_400)}) { totalCount } }`],
    ['types', `query ($a: ${'['.repeat(2_000)}Int${']'.repeat(2_000)}) { serverTime }`],
    ['far more than are read', '{a'.repeat(300_000)],
  ])('bounds how deep brackets are nested: %s', async (_what, query) => {
    expect(await codeOf(await api.post(query))).toBe('OPERATION_TOO_LARGE');
  });

  it('keep long documents out of the caches', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage: () => void = runInNewContext('gc');
    const held = () => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const before = held();
    for (let index = 0; index < 30; index++) {
      await api.post(`{ serverTime } ${' '.repeat(900_000)}# ${index}`);
      await api.post(`{ ${' '.repeat(900_000)}# ${index}`);
    }
    expect(held() - before).toBeLessThan(20_000_000);
  });

  it('apply to the body, with or without a content length', async () => {
    const small = apiOn(api.prisma, { limits: { bodyBytes: 500 } });
    const headers = { authorization, 'content-type': 'application/json' };
    const body = JSON.stringify({ query: '{ serverTime }', variables: { pad: 'x'.repeat(1_000) } });
    expect((await send('/graphql', { method: 'POST', headers, body }, small)).status).toBe(413);
    const stream = new Blob([body]).stream();
    const streamed = await send(
      '/graphql',
      { method: 'POST', headers, body: stream, duplex: 'half' } as RequestInit,
      small,
    );
    expect(streamed.status).toBe(413);
    expect((await small.ask('{ serverTime }')).errors).toBeUndefined();
  });

  it('end a request in time, with or without its result', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const impatient = apiOn(api.prisma, { limits: { operationTimeout: 5_000 } });
    impatient.leases.cancel = () => {
      vi.advanceTimersByTime(5_000);
      return new Promise(() => {});
    };
    const response = await impatient.post(
      `mutation { cancelLease(input: { id: "${btoa('Lease:1')}" }) { userErrors { code } } }`,
    );
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
    const { errors } = (await response.json()) as { errors: unknown };
    expect(errors).toEqual([expect.objectContaining({ extensions: { code: 'TIMEOUT' } })]);
    expect((await impatient.ask('{ serverTime }')).errors).toBeUndefined();
  });

  it('allow one operation per request', async () => {
    const response = await send('/graphql', {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify([{ query: '{ serverTime }' }, { query: '{ serverTime }' }]),
    });
    expect(response.status).toBe(400);
  });

  it.each([
    ['a variable of another type', 'query ($n: Int) { lease(number: $n) { id } }', { n: 'one' }, 'BAD_USER_INPUT'],
    [
      'a field of an input that there is not',
      'query ($f: LeaseFilter) { leases(filter: $f) { totalCount } }',
      { f: { x: 1 } },
      'BAD_USER_INPUT',
    ],
    ['no variable where one is needed', 'query ($id: ID!) { node(id: $id) { id } }', {}, 'BAD_USER_INPUT'],
    [
      'two operations, of which none is chosen',
      'query A { serverTime } query B { serverTime }',
      {},
      'OPERATION_RESOLUTION_FAILURE',
    ],
  ])('gives every mistake a code: %s', async (_what, query, variables, code) => {
    const response = await api.post(query, variables);
    expect([response.status, await codeOf(response)]).toEqual([400, code]);
  });

  it.each([
    'subscription { leaseEvents @skip(if: true) { sequence } }',
    'subscription ($on: Boolean = true) { leaseEvents @include(if: $on) { sequence } }',
    'subscription { ... @skip(if: true) { leaseEvents { sequence } } }',
    'subscription { ...F } fragment F on Subscription { leaseEvents @skip(if: true) { sequence } }',
  ])('refuses a subscription to nothing: %s', async (query) => {
    const response = await api.post(query);
    expect(await response.text()).toMatch(/"code":"(GRAPHQL_VALIDATION_FAILED|BAD_USER_INPUT)"/);
  });

  it('allow a subscription whose fields have conditions', async () => {
    const request = graphqlRequest('subscription { leaseEvents { sequence @skip(if: true) at } }');
    request.headers.set('accept', 'text/event-stream');
    const response = await api.app.fetch(request);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
  });

  it('refuse variables that are nested deeper than 100 levels', async () => {
    const query = 'query ($ids: [ID!]!) { objects(ids: $ids) { id } }';
    const post = async (levels: number) => {
      const ids = `${'['.repeat(levels)}1${']'.repeat(levels)}`;
      const response = await send('/graphql', {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: `{ "query": ${JSON.stringify(query)}, "variables": { "ids": ${ids} } }`,
      });
      const { errors } = (await response.json()) as { errors: { extensions: { code: string } }[] };
      return [response.status, errors[0]?.extensions.code];
    };
    // The object of the variables is a level, too.
    expect(await post(99)).toEqual([400, 'BAD_USER_INPUT']);
    for (const levels of [100, 20_000]) expect(await post(levels)).toEqual([400, 'BAD_REQUEST']);
  });

  it('accept variables in the URL if they are JSON', async () => {
    const query = encodeURIComponent('query ($n: Int) { lease(number: $n) { id } }');
    const get = (variables: string) =>
      send(`/graphql?query=${query}&variables=${variables}`, { headers: { authorization } });
    expect(await (await get('{"n":7}')).json()).toMatchObject({ data: { lease: null } });
    for (const variables of ['x', '[1]']) {
      const response = await get(variables);
      expect([response.status, await codeOf(response)]).toEqual([400, 'BAD_REQUEST']);
    }
  });

  it('name the supported media types when another one is requested', async () => {
    for (const [query, accept] of [
      ['subscription { leaseEvents { sequence } }', 'application/json'],
      ['{ serverTime }', 'application/xml'],
    ] as const) {
      const request = graphqlRequest(query);
      request.headers.set('accept', accept);
      const response = await api.app.fetch(request);
      expect([response.status, await codeOf(response)]).toEqual([406, 'NOT_ACCEPTABLE']);
    }
  });

  it.each([
    ['application/json;q=0', null],
    ['*/*;q=0', null],
    ['application/json; q=0.0, application/graphql-response+json', 'application/graphql-response+json'],
    ['application/graphql-response+json;q=0, */*', 'application/json'],
    ['application/json;q=0, application/*', 'application/graphql-response+json'],
    ['*/*;q=0, application/json', 'application/json'],
    ['text/html;q=0, application/json;q=0.1', 'application/json'],
  ])('have none of the media types that "%s" excludes', async (accept, expected) => {
    const request = graphqlRequest('{ serverTime }');
    request.headers.set('accept', accept);
    const response = await api.app.fetch(request);
    const type = response.headers.get('content-type')?.split(';')[0];
    expect([response.status, type]).toEqual(expected === null ? [406, 'application/json'] : [200, expected]);
  });

  it('allow no mutation by GET', async () => {
    const mutation = encodeURIComponent('mutation { cancelLease(input: { id: "x" }) { userErrors { code } } }');
    const response = await send(`/graphql?query=${mutation}`, { headers: { authorization } });
    expect(response.status).toBe(405);
    expect(api.leases.cancelled).toEqual([]);
  });
});

describe('a client that disconnects', () => {
  it('causes no further reads', async () => {
    await api.prisma.lease.createMany({ data: [lease(1), lease(2)] });
    let reached = () => {};
    const reading = new Promise<void>((resolve) => {
      reached = resolve;
    });
    let goOn = () => {};
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const statements: unknown[] = [];
    const prisma = api.prisma.$extends({
      query: {
        async $queryRaw({ args, query }) {
          statements.push(args);
          const rows = await query(args);
          reached();
          await gate;
          return rows;
        },
      },
    }) as unknown as PrismaClient;
    const mistakes: string[] = [];
    const slow = apiOn(prisma, {
      log: pino({ level: 'warn' }, { write: (line: string) => void mistakes.push(line) }),
    });
    const nestedQuery = '{ leases { nodes { reservations { nodes { start } } } } }';
    const leaving = new AbortController();
    const answer = slow.app
      .fetch(new Request(graphqlRequest(nestedQuery), { signal: leaving.signal }))
      .catch(() => null);
    await reading;
    leaving.abort();
    goOn();
    await answer;
    expect(statements).toHaveLength(1);
    expect(mistakes).toEqual([]);
    expect((await slow.ask(nestedQuery)).errors).toBeUndefined();
    expect(statements).toHaveLength(3);
  });
});

describe('many clients', () => {
  it('receive answers to 200 nested queries at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, () =>
        api.ask('{ leases { totalCount nodes { reservations { totalCount } } } nodes { totalCount } }'),
      ),
    );
    expect(answers.flatMap(({ errors }) => errors ?? [])).toEqual([]);
  });

  it('leave nothing behind after a thousand connections', async () => {
    const own = apiOn(api.prisma);
    for (let round = 0; round < 10; round++) {
      await Promise.all(
        Array.from({ length: 100 }, async () => {
          const request = graphqlRequest('subscription { leaseEvents { sequence } }');
          request.headers.set('accept', 'text/event-stream');
          const reader = (await own.app.fetch(request)).body?.getReader();
          await reader?.read();
          const pending = reader?.read();
          await reader?.cancel();
          await pending;
        }),
      );
    }
    await vi.waitFor(() => expect(own.leases.streams).toBe(0));
  });
});

describe('GraphQL over HTTP', () => {
  const audits = serverAudits({
    url: 'http://localhost/graphql',
    fetchFn: (url: string, init?: RequestInit) => {
      const headers = new Headers(init?.headers);
      headers.set('authorization', authorization);
      return api.app.fetch(new Request(url, { ...init, headers }));
    },
  });
  it.each(audits.map((audit) => [audit.name, audit] as const))('%s', async (_name, audit) => {
    const result = await audit.fn();
    if (result.status !== 'ok') expect.fail(`${result.status}: ${result.reason}`);
  });
  it('is audited in full', () => {
    expect(audits.length).toBeGreaterThanOrEqual(60);
  });
});
