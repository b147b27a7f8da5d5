/** The examples and tables of docs/api.md are what the server does. */
import { readFileSync } from 'node:fs';
import { getOperationAST, parse, validate } from 'graphql';
import { afterAll, expect, it } from 'vitest';
import { schema } from '../../src/api/index.ts';
import { userErrorCodes } from '../../src/api/schema/mutations/codes.ts';
import { apiOnNewDatabase, createNodes, lease } from './fixture.ts';

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
  if (getOperationAST(document)?.operation === 'subscription') return;
  await api.prisma.lease.deleteMany();
  await api.prisma.computeNode.deleteMany();
  await api.prisma.lease.create({ data: lease(1, { state: 'QUEUED', queueRank: 1 }) });
  await createNodes(api.prisma, 2);
  api.leases.answer = async () => 1;
  const { data, errors } = await api.ask(text);
  expect(errors).toBeUndefined();
  for (const value of Object.values(data) as { userErrors?: unknown[] }[]) {
    expect(value.userErrors ?? []).toEqual([]);
  }
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
