/** Generated operations on a server with an engine: whatever is asked is answered, and nothing breaks. */
import fc from 'fast-check';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { schema } from '../../src/api/index.ts';
import { describeDatabase } from '../support/databases.ts';
import { apiOnEngine } from './engine-api.ts';
import { type Answer, graphqlRequest, token } from './fixture.ts';
import { type Operation, type OperationKind, Operations } from './generated-operations.ts';
import { isSentence } from './sentences.ts';

const factor = Number(process.env.PROPERTY_FACTOR ?? 1);

interface Extensions {
  readonly cost?: { readonly requested: number; readonly throttle: { readonly available: number } };
}

/** The messages of an answer, as far as they were selected; fields have aliases such as `message_3`. */
function messagesOf({ data, errors = [] }: Answer): string[] {
  const valuesOf = (object: object, field: string): unknown[] =>
    Object.entries(object).flatMap(([alias, value]) => (alias.startsWith(`${field}_`) ? [value] : []));
  const payloads = Object.values((data ?? {}) as Record<string, object | null>);
  const userErrors = payloads.flatMap((payload) => (payload ? (valuesOf(payload, 'userErrors') as object[][]) : []));
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
    const send = (query: string, variables: Readonly<Record<string, unknown>>, as: string, accept: string) => {
      const request = graphqlRequest(query, variables);
      request.headers.set('authorization', `Bearer ${as}`);
      request.headers.set('accept', accept);
      return app.fetch(request);
    };
    const ask = async ({ query, variables }: Operation, as: string) => {
      const response = await send(query, variables, as, 'application/json');
      return { status: response.status, answers: [(await response.json()) as Answer] };
    };
    /** What a subscription delivers at once, while a query is answered beside it. */
    const watch = async ({ query, variables }: Operation, as: string) => {
      const response = await send(query, variables, as, 'text/event-stream');
      const reader = response.body?.getReader();
      const isOver = send('{ serverTime leases { totalCount } }', {}, as, 'application/json').then(() => null);
      let text = '';
      for (let next = reader?.read(); next; next = reader?.read()) {
        const read = await Promise.race([next, isOver]);
        if (read === null || read.done) break;
        text += new TextDecoder().decode(read.value as Uint8Array);
      }
      await reader?.cancel();
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
      const parts = isStream ? [...text.matchAll(/^data: ?(\{.*)$/gm)].map(([, part]) => part ?? '') : [text];
      return { status: response.status, answers: parts.map((part) => JSON.parse(part) as Answer) };
    };
    const counts = { answered: 0, carriedOut: 0, messages: 0, delivered: 0 };
    await fc.assert(
      fc.asyncProperty(fc.gen(), async (draw) => {
        const kind = draw(() =>
          fc.constantFrom<OperationKind[]>('query', 'query', 'mutation', 'mutation', 'subscription'),
        );
        const operation = operations.draw(draw, kind);
        const as = draw(() => fc.constantFrom(token, token, token, secret));
        const { status, answers } = await (kind === 'subscription' ? watch : ask)(operation, as);
        const described = JSON.stringify({ logged, ...operation, answers }, null, 1);
        expect(logged, described).toEqual([]);
        expect(status, described).toBeLessThan(500);
        const codes = answers.flatMap(({ errors = [] }) => errors.map(({ extensions }) => extensions?.code));
        expect(codes, described).not.toContain(undefined);
        expect(codes, described).not.toContain('INTERNAL');
        for (const { extensions } of answers as readonly { readonly extensions?: Extensions }[]) {
          const { requested, throttle } = extensions?.cost ?? { requested: 0, throttle: { available: 0 } };
          expect([requested, Math.ceil(throttle.available)].every(Number.isSafeInteger), described).toBe(true);
          expect(requested, described).toBeGreaterThanOrEqual(0);
        }
        const messages = answers.flatMap(messagesOf);
        // Some messages of the GraphQL library about variables end without a full stop.
        const faulty = messages.filter((message) => !isSentence(message) && !message.startsWith('Variable "$'));
        expect(faulty, described).toEqual([]);
        counts.messages += messages.length;
        const data = answers.flatMap((answer) => answer.data ?? []);
        if (kind === 'subscription') counts.delivered += data.length;
        else counts.answered += data.length;
        if (kind === 'mutation' && JSON.stringify(data).match(/"userErrors_\d+":\[\]/)) {
          counts.carriedOut += 1;
        }
      }),
      { numRuns: Math.ceil(500 * factor), endOnFailure: true },
    );
    // Otherwise the operations prove nothing.
    expect(counts.answered).toBeGreaterThan(150 * factor);
    expect(counts.carriedOut).toBeGreaterThan(10 * factor);
    expect(counts.messages).toBeGreaterThan(100 * factor);
    expect(counts.delivered).toBeGreaterThan(0);
    expect(engine.status()).toMatchObject({ role: 'writer', problems: [] });
  });
});
