import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { connectionAccepted, pace } from '../../src/api/read/pace.ts';

const workFor = (milliseconds: number): void => {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
};

/** Results that come together, each of which is worked on for a while. Says in which round each had its turn. */
async function rounds(count: number, milliseconds: number): Promise<number[]> {
  let round = 0;
  let done = false;
  const turns: number[] = [];
  const counting = (async () => {
    while (!done) {
      await nextRound();
      round += 1;
    }
  })();
  await Promise.all(
    Array.from({ length: count }, async () => {
      await pace();
      turns.push(round);
      workFor(milliseconds);
    }),
  );
  done = true;
  await counting;
  return turns;
}

test('long work on results is spread over rounds of the event loop', async () => {
  const turns = await rounds(6, 6);
  expect(new Set(turns).size).toBeGreaterThanOrEqual(5);
  expect(turns).toEqual([...turns].sort((a, b) => a - b));
});

test('results go on in the order in which they came', async () => {
  await nextRound();
  const order: number[] = [];
  await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      await pace();
      order.push(index);
      workFor(1);
    }),
  );
  expect(order).toEqual(Array.from({ length: 20 }, (_, index) => index));
});

test('while connections are accepted, results wait, but not for ever', async () => {
  await nextRound();
  let rounds = 0;
  let resumed = false;
  await pace();
  workFor(6);
  const late = pace().then(() => {
    resumed = true;
  });
  while (!resumed) {
    connectionAccepted();
    await nextRound();
    rounds += 1;
  }
  await late;
  expect(rounds).toBeGreaterThan(40);
  expect(rounds).toBeLessThan(60);
});
