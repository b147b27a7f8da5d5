/** The examples and tables of docs/api.md are what the server does. */
import { readFileSync } from 'node:fs';
import { getOperationAST, parse, validate } from 'graphql';
import { afterAll, expect, it } from 'vitest';
import { schema } from '../../src/api/index.ts';
import { userErrorCodes } from '../../src/api/schema/mutations/codes.ts';
import { textLengths } from '../../src/api/text-lengths.ts';
import { apiOnNewDatabase, createNodes, graphqlRequest, lease, now } from './fixture.ts';

const docs = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
const examples = [...docs.matchAll(/^```graphql\n([\s\S]*?)^```$/gm)].map(([, text]) => text ?? '');

const api = await apiOnNewDatabase();
afterAll(() => api[Symbol.asyncDispose]());

it('has examples of queries, mutations and subscriptions', () => {
  const operations = examples.map((text) => getOperationAST(parse(text))?.operation);
  expect(new Set(operations)).toEqual(new Set(['query', 'mutation', 'subscription']));
});

it.each(examples)('example: %s', async (text) => {
  const document = parse(text);
  expect(validate(schema, document)).toEqual([]);
  await api.prisma.lease.deleteMany();
  await api.prisma.computeNode.deleteMany();
  await api.prisma.lease.create({ data: lease(1, { state: 'QUEUED', queueRank: 1 }) });
  await createNodes(api.prisma, 2);
  api.leases.answer = async () => 1;
  if (getOperationAST(document)?.operation === 'subscription') {
    const event = { leaseId: 1, at: now, from: 'NEW', to: 'PENDING', reason: null } as const;
    api.leases.publish({ ...event, sequence: 42 });
    const subject = { leaseId: 1, project: null, node: null, maintenance: null, reason: null };
    api.leases.notices.publish({
      ...subject,
      ...{ sequence: 1, at: now, kind: 'LEASE_FAILED', message: 'The lease failed.', facts: {} },
    });
    const request = graphqlRequest(text);
    request.headers.set('accept', 'text/event-stream');
    const reader = (await api.app.fetch(request)).body?.getReader();
    let received = '';
    while (!received.includes('event: next')) {
      const { value, done } = (await reader?.read()) ?? { done: true };
      if (done) break;
      received += new TextDecoder().decode(value);
    }
    await reader?.cancel();
    expect(received).toContain('event: next');
    expect(received).not.toContain('"errors"');
    return;
  }
  const { data, errors } = await api.ask(text);
  expect(errors).toBeUndefined();
  for (const value of Object.values(data) as { userErrors?: unknown[] }[]) {
    expect(value.userErrors ?? []).toEqual([]);
  }
});

it('lists the lengths of texts', () => {
  const rows = [...docs.matchAll(/^\| `(\w+\.\w+)`[^|]*\| ([\d,]+) \|$/gm)];
  const lengths = rows.map(([, field, length]) => [field, Number(length?.replace(',', ''))] as const);
  expect(Object.fromEntries(lengths)).toEqual(textLengths);
});

it('lists every code of userErrors as the schema describes it', () => {
  const rows = [...docs.matchAll(/^\| `([A-Z_]+)` \| (.*) \| (yes|no) \|$/gm)].map(([, ...row]) => row);
  expect(rows).toEqual(
    Object.entries(userErrorCodes).map(([code, facts]) => [
      code,
      facts.description,
      'retryable' in facts ? 'yes' : 'no',
    ]),
  );
});
