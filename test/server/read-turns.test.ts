import { expect, test } from 'vitest';
import { yieldToEventLoop } from '../../src/engine/async.ts';
import { ReadTurns } from '../../src/server/read-turns.ts';

/** A read that ends on demand. */
const read = (name: string, started: string[]) => {
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return {
    end,
    run: () => {
      started.push(name);
      return ended.then(() => name);
    },
  };
};

const a = { kind: 'query', owner: 'a' } as const;

test('lanes take turns, and the number of concurrent reads is limited', async () => {
  const turns = new ReadTurns(2);
  const started: string[] = [];
  const reads = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) => read(name, started));
  const results = ['a', 'a', 'a', 'a', 'b', 'b', 'c'].map((lane, index) =>
    turns.run({ kind: 'query', owner: lane }, reads[index]?.run as () => Promise<string>),
  );
  await yieldToEventLoop();
  expect(started).toEqual(['a1', 'a2']);
  expect(turns.waiting('query')).toBe(5);
  for (const { end } of reads) end();
  expect(await Promise.all(results)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']);
  expect(started).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2']);
  expect(turns.waiting('query')).toBe(0);
});

test('a read that is abandoned while it waits does not run, and the next one takes its turn', async () => {
  const turns = new ReadTurns(1);
  const started: string[] = [];
  const [first, second, third] = ['first', 'second', 'third'].map((name) => read(name, started));
  const abandoned = new AbortController();
  const results = [
    turns.run(a, first?.run as () => Promise<string>),
    turns.run({ ...a, signal: abandoned.signal }, second?.run as () => Promise<string>),
    turns.run(a, third?.run as () => Promise<string>),
  ];
  abandoned.abort(new Error('gone'));
  await expect(results[1]).rejects.toThrow('gone');
  first?.end();
  third?.end();
  expect(await results[2]).toBe('third');
  expect(started).toEqual(['first', 'third']);
  await expect(turns.run({ ...a, signal: abandoned.signal }, async () => 1)).rejects.toThrow('gone');
});

test('after a read that fails, the next one takes its turn', async () => {
  const turns = new ReadTurns(1);
  const failing = turns.run(a, () => Promise.reject(new Error('no database')));
  const next = turns.run(a, async () => 'next');
  await expect(failing).rejects.toThrow('no database');
  expect(await next).toBe('next');
});
