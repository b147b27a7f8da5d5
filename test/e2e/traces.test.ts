import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { postgresMissing } from '../support/postgres.ts';
import { build, scratchDirectory, startServer } from '../support/server-process.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';

const scratch = scratchDirectory();
beforeAll(build);
afterAll(scratch.remove);

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
  readonly status: { readonly code?: number; readonly message?: string };
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Span['attributes'] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

/** What a collector receives over OTLP. */
const collector = async () => {
  const spans: (Span & { readonly service: unknown; readonly thread: unknown })[] = [];
  const paths = new Set<string | undefined>();
  const server = createServer(async (request, response) => {
    paths.add(request.url);
    const { resourceSpans } = JSON.parse(await text(request)) as Export;
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = attribute(resource, 'service.name');
      for (const span of scopeSpans.flatMap((scope) => scope.spans))
        spans.push({ ...span, service, thread: attribute(span, 'thread.name') });
    }
    response.end('{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return { spans, paths, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

const attribute = ({ attributes }: Pick<Span, 'attributes'>, name: string): unknown =>
  Object.values(attributes.find(({ key }) => key === name)?.value ?? {})[0];

const traceId = '0af7651916cd43dd8448eb211c80319c';
const callerId = 'b7ad6b7169203331';

const requestLease = `mutation Ask($type: LeaseType!) {
  requestLease(input: { type: $type, duration: "PT1H", machines: [{ count: 2, capacity: [{ type: "CPU", amount: 1 }, { type: "Memory", amount: 1 }] }] }) {
    lease { number } userErrors { code }
  }
}`;

const post = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer a-token-for-tests', ...headers },
    body: JSON.stringify({ query: requestLease, variables: { type: 'BEST_EFFORT' } }),
  });

/** Starts a server that sends traces, with further variables. */
const start = async (name: string, environment: Record<string, string>) => {
  const server = await startServer({
    dataDir: join(scratch.path, name),
    environment: { OTEL_BSP_SCHEDULE_DELAY: '50', ...environment },
  });
  onTestFinished(async () => {
    await server.stop('SIGKILL');
  });
  return server;
};

it('a request is traced from the client through its commit to the calls of hosts, across threads', async () => {
  const { spans, paths, endpoint } = await collector();
  const server = await start('traced', {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_SERVICE_NAME: 'leases-of-a-test',
  });
  await post(server.url, { traceparent: `00-${traceId}-${callerId}-01` });
  const ofTrace = () => spans.filter((span) => span.traceId === traceId);
  await vi.waitFor(() => expect(ofTrace().length).toBeGreaterThanOrEqual(9), 120_000);
  await server.stop('SIGTERM');

  expect([...paths]).toEqual(['/v1/traces']);
  const found = ofTrace();
  const nameOf = (id: string | undefined) => found.find(({ spanId }) => spanId === id)?.name ?? id;
  const tree = found.map(({ name, parentSpanId, thread }) => `${thread}: ${name} < ${nameOf(parentSpanId)}`);
  expect(tree.sort()).toEqual([
    'engine: action START < command request',
    'engine: command request < mutation Ask',
    'engine: commit < command request',
    'engine: host start < action START',
    'engine: host start < action START',
    'engine: inbox < command request',
    'engine: schedule < command request',
    `main: POST /graphql < ${callerId}`,
    'main: mutation Ask < POST /graphql',
  ]);
  expect(new Set(found.map(({ service }) => service))).toEqual(new Set(['leases-of-a-test']));
  const named = (name: string) => found.find((span) => span.name === name) as Span;
  expect(attribute(named('command request'), 'leasegraph.lease')).toBe(1);
  expect(attribute(named('POST /graphql'), 'http.response.status_code')).toBe(200);
  // What waits for another is not over before it.
  const [inbox, schedule, commit] = ['inbox', 'schedule', 'commit'].map(named) as [Span, Span, Span];
  expect(BigInt(inbox.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(schedule.startTimeUnixNano));
  expect(BigInt(schedule.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(commit.startTimeUnixNano));
  expect(BigInt(commit.endTimeUnixNano)).toBeGreaterThan(BigInt(commit.startTimeUnixNano));
});

it('a trace that its client does not record is not sent', async () => {
  const { spans, endpoint } = await collector();
  const server = await start('unsampled', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${endpoint}/v1/traces` });
  await post(server.url, { traceparent: `00-${traceId}-${callerId}-00` });
  await post(server.url);
  await vi.waitFor(() => expect(spans.some(({ name }) => name === 'action START')).toBe(true), 120_000);
  await server.stop('SIGTERM');
  expect(spans.filter((span) => span.traceId === traceId)).toEqual([]);
});

it('nothing is sent when tracing is disabled', async () => {
  const { paths, endpoint } = await collector();
  const server = await start('disabled', {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_SDK_DISABLED: 'true',
  });
  await post(server.url);
  await server.stop('SIGTERM');
  expect([...paths]).toEqual([]);
});

it.skipIf(postgresMissing !== null)('a command that another process forwards stays in its trace', async () => {
  const { spans, endpoint } = await collector();
  const postgres = await sharedPostgres();
  const environment = {
    DATABASE_URL: postgres.url(await postgres.createDatabase()),
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  };
  await start('writer', environment);
  const api = await start('api', { ...environment, LEASEGRAPH_ROLE: 'api' });
  await post(api.url, { traceparent: `00-${traceId}-${callerId}-01` });
  await vi.waitFor(() => {
    const names = spans.filter((span) => span.traceId === traceId).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['POST /graphql', 'command request', 'action START']));
  }, 120_000);
});
