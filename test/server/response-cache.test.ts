import { describe, expect, it } from 'vitest';
import { type CacheOutcome, type Executed, ResponseCache } from '../../src/server/graphql/response-cache.ts';

/** A cache, what is committed, and how each answer came about. */
function setUp(maxBytes = 100_000) {
  const outcomes: CacheOutcome[] = [];
  const state = { commit: 1, checks: 0, broken: false };
  const version = async () => {
    state.checks += 1;
    if (state.broken) throw new Error('no database');
    return String(state.commit);
  };
  const cache = new ResponseCache({ maxBytes, version, onAnswer: (outcome) => outcomes.push(outcome) });
  let executions = 0;
  const execute =
    (data: unknown = { commit: state.commit }, isStored = true) =>
    async (): Promise<Executed> => {
      executions += 1;
      return { result: { data: data as never }, isStored };
    };
  const ask = async (key: string, run = execute({ commit: state.commit })) => textOf(await cache.answer(key, run));
  return { cache, state, outcomes, execute, ask, executions: () => executions };
}

/** As Yoga serializes it. */
function textOf(result: object): unknown {
  const { stringify = JSON.stringify } = result as { stringify?: (result: object) => string };
  return JSON.parse(stringify(result));
}

/** An execution that ends on demand. */
function held(result: Executed) {
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  return {
    end,
    begun,
    run: async () => {
      begin();
      await ended;
      return result;
    },
  };
}

describe('answers that are kept', () => {
  it('are given until something is committed', async () => {
    const { ask, outcomes, state } = setUp();
    expect(await ask('a')).toEqual({ data: { commit: 1 } });
    expect(await ask('a')).toEqual({ data: { commit: 1 } });
    state.commit = 2;
    expect(await ask('a')).toEqual({ data: { commit: 2 } });
    expect(await ask('b')).toEqual({ data: { commit: 2 } });
    expect(outcomes).toEqual(['miss', 'hit', 'miss', 'miss']);
  });

  it('are not given when something was committed while they were made', async () => {
    const { ask, cache, outcomes, state } = setUp();
    await cache.answer('a', async () => {
      state.commit = 2;
      return { result: { data: { commit: 1 } }, isStored: true };
    });
    expect(await ask('a')).toEqual({ data: { commit: 2 } });
    expect(outcomes).toEqual(['miss', 'miss']);
  });

  it('have the extensions of the operation that asks', async () => {
    const { cache, execute } = setUp();
    await cache.answer('a', execute());
    const result = { ...(await cache.answer('a', execute())), extensions: { cost: 7 } };
    expect(textOf(result)).toEqual({ data: { commit: 1 }, extensions: { cost: 7 } });
    expect(JSON.parse(JSON.stringify(result))).toEqual({ data: { commit: 1 }, extensions: { cost: 7 } });
  });

  it('are not those with errors, without data, or that depend on more than what is stored', async () => {
    const { cache, execute, executions, outcomes } = setUp();
    const failing = async (): Promise<Executed> => ({
      result: { data: { a: null }, errors: [new Error('x') as never] },
      isStored: true,
    });
    for (const run of [failing, failing, execute(null), execute(null)]) await cache.answer('a', run);
    for (const run of [execute({}, false), execute({}, false)]) await cache.answer('b', run);
    expect(executions()).toBe(4);
    expect(outcomes).toEqual(['miss', 'miss', 'miss', 'miss', 'volatile', 'volatile']);
  });

  it('take no more than they may, and the least recently used goes first', async () => {
    const { ask, cache, execute, outcomes } = setUp(1_000);
    const data = { text: 'x'.repeat(180) };
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await ask(key, execute(data));
    expect(outcomes).toEqual(['miss', 'miss', 'hit', 'miss', 'hit', 'miss']);
    expect(cache.bytes).toBeLessThanOrEqual(1_000);
    expect(cache.bytes).toBeGreaterThan(700);
    await ask('large', execute({ text: 'x'.repeat(600) }));
    await ask('large', execute({ text: 'x'.repeat(600) }));
    expect(outcomes.slice(-2)).toEqual(['miss', 'miss']);
    expect(cache.bytes).toBeLessThanOrEqual(1_000);
  });

  it('are left aside while it is not known what was committed', async () => {
    const { ask, executions, outcomes, state } = setUp();
    await ask('a');
    state.broken = true;
    state.commit = 2;
    expect(await ask('a')).toEqual({ data: { commit: 2 } });
    expect(executions()).toBe(2);
    expect(outcomes).toEqual(['miss', 'unknown']);
  });
});

describe('an execution under way', () => {
  it('is shared by equal queries', async () => {
    const { cache, execute, executions, outcomes } = setUp();
    const first = held({ result: { data: { value: 1 } }, isStored: true });
    const answers = [cache.answer('a', first.run)];
    await first.begun;
    for (let count = 0; count < 5; count += 1) answers.push(cache.answer('a', execute({ value: 2 })));
    answers.push(cache.answer('b', execute({ value: 3 })));
    await answers.at(-1);
    first.end();
    const values = (await Promise.all(answers)).map(textOf);
    expect(values).toEqual([...Array(6).fill({ data: { value: 1 } }), { data: { value: 3 } }]);
    expect(executions()).toBe(1);
    expect(outcomes.filter((outcome) => outcome === 'shared')).toHaveLength(5);
  });

  it('is not shared by a query that comes after a commit', async () => {
    const { cache, execute, state } = setUp();
    const first = held({ result: { data: { value: 1 } }, isStored: true });
    const answer = cache.answer('a', first.run);
    await first.begun;
    state.commit = 2;
    expect(textOf(await cache.answer('a', execute({ value: 2 })))).toEqual({ data: { value: 2 } });
    first.end();
    expect(textOf(await answer)).toEqual({ data: { value: 1 } });
    expect(textOf(await cache.answer('a', execute({ value: 3 })))).toEqual({ data: { value: 2 } });
  });

  it.each([
    ['failed', { result: { errors: [new Error('gone') as never] }, isStored: true }],
    ['depends on more than what is stored', { result: { data: { value: 1 } }, isStored: false }],
  ])('is of no use to others when it %s', async (_what, executed) => {
    const { cache, execute } = setUp();
    const first = held(executed);
    const answers = [cache.answer('a', first.run)];
    await first.begun;
    answers.push(cache.answer('a', execute({ value: 2 })));
    first.end();
    await answers[0];
    expect(textOf((await answers[1]) ?? {})).toEqual({ data: { value: 2 } });
  });

  it('that rejects leaves the others to execute', async () => {
    const { cache, execute } = setUp();
    let fail = (): void => {};
    const failed = new Promise<never>((_resolve, reject) => {
      fail = () => reject(new Error('failed'));
    });
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const first = cache.answer('a', () => {
      begin();
      return failed;
    });
    await begun;
    const second = cache.answer('a', execute({ value: 2 }));
    fail();
    await expect(first).rejects.toThrow('failed');
    expect(textOf(await second)).toEqual({ data: { value: 2 } });
  });
});

it('asks once for all queries of a moment what was committed', async () => {
  const { ask, state } = setUp();
  await Promise.all(['a', 'b', 'c', 'd'].map((key) => ask(key)));
  expect(state.checks).toBe(1);
  await ask('a');
  expect(state.checks).toBe(2);
});
