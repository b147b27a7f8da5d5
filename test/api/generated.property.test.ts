/** Generated operations on a server with an engine: whatever is asked is answered, and nothing breaks. */
import fc from 'fast-check';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { schema } from '../../src/api/index.ts';
import { describeDatabase } from '../support/databases.ts';
import { apiOnEngine } from './engine-api.ts';
import { type Answer, graphqlRequest, token } from './fixture.ts';
import { Operations } from './generated-operations.ts';
import { isSentence } from './sentences.ts';

const factor = Number(process.env.PROPERTY_FACTOR ?? 1);

/** The messages of an answer, as far as they were selected; fields have aliases such as `message_3`. */
function messagesOf({ data, errors = [] }: Answer): string[] {
  const valuesOf = (object: object, field: string): unknown[] =>
    Object.entries(object).flatMap(([alias, value]) => (alias.startsWith(`${field}_`) ? [value] : []));
  const payloads = Object.values((data ?? {}) as Record<string, object | null>);
  const userErrors = payloads.flatMap((payload) =>
    payload ? (valuesOf(payload, 'userErrors') as object[][]) : [],
  );
  return [
    ...errors.map(({ message }) => message),
    ...userErrors.flat().flatMap((error) => valuesOf(error, 'message') as string[]),
  ];
}

describeDatabase('embedded', 'generated operations', (databases) => {
  it('are answered without an unexpected error', { timeout: 300_000 * factor }, async () => {
    const logged: string[] = [];
    const log = pino({ level: 'error' }, { write: (line) => void logged.push(line) });
    const { app, engine, identity } = await apiOnEngine(databases, {
      log,
      limits: { aliases: 1_000, costBurst: 1e12, costPerSecond: 1e12 },
    });
    // Tokens with the ids that operations name are revoked; this one is kept.
    for (let number = 1; number <= 6; number += 1) {
      await identity.tokens.create({ name: `token-${number}`, role: 'USER', projects: [], expiresAt: null });
    }
    const { secret } = await identity.tokens.create({
      name: 'user',
      role: 'USER',
      projects: [],
      expiresAt: null,
    });
    const operations = new Operations(schema, Date.now());
    const ask = async (query: string, variables: Readonly<Record<string, unknown>>, as: string) => {
      const request = graphqlRequest(query, variables);
      request.headers.set('authorization', `Bearer ${as}`);
      const response = await app.fetch(request);
      return { status: response.status, answer: (await response.json()) as Answer };
    };
    const counts = { answered: 0, carriedOut: 0, messages: 0 };
    await fc.assert(
      fc.asyncProperty(fc.gen(), async (draw) => {
        const kind = draw(() => fc.constantFrom('query' as const, 'mutation' as const));
        const { query, variables } = operations.draw(draw, kind);
        const as = draw(() => fc.constantFrom(token, token, token, secret));
        const { status, answer } = await ask(query, variables, as);
        const described = JSON.stringify({ logged, query, variables, answer }, null, 1);
        expect(logged, described).toEqual([]);
        expect(status, described).toBeLessThan(500);
        const codes = answer.errors?.map(({ extensions }) => extensions?.code) ?? [];
        expect(codes, described).not.toContain(undefined);
        expect(codes, described).not.toContain('INTERNAL');
        const messages = messagesOf(answer);
        // Some messages of the GraphQL library about variables end without a full stop.
        const faulty = messages.filter(
          (message) => !isSentence(message) && !message.startsWith('Variable "$'),
        );
        expect(faulty, described).toEqual([]);
        counts.messages += messages.length;
        if (answer.data) counts.answered += 1;
        if (kind === 'mutation' && JSON.stringify(answer.data ?? null).match(/"userErrors_\d+":\[\]/)) {
          counts.carriedOut += 1;
        }
      }),
      { numRuns: Math.ceil(500 * factor), endOnFailure: true },
    );
    // Otherwise the operations prove nothing.
    expect(counts.answered).toBeGreaterThan(150 * factor);
    expect(counts.carriedOut).toBeGreaterThan(10 * factor);
    expect(counts.messages).toBeGreaterThan(100 * factor);
    expect(engine.status()).toMatchObject({ role: 'writer', problems: [] });
  });
});
