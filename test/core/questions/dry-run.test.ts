import { expect, it } from 'vitest';
import { joinAvailability, LAST_INSTANT, SECOND } from '../../../src/core/index.ts';
import { Stage } from '../../support/stage.ts';
import { bestEffort, machines, reservation, withDeadline } from '../../support/story.ts';

const asked = (count: number, start: number, duration: number) => ({
  type: 'ADVANCE_RESERVATION' as const,
  machines: machines(count),
  duration: duration * SECOND,
  start: start * SECOND,
  preemptible: false,
});

it('returns the plan of a reservation and the leases that it preempts', () => {
  const config = { preemption: 'ar-preempts-everything', suspension: 'all' } as const;
  const { scheduler } = new Stage([bestEffort(0, 4, 3600)], { config }).to(10);
  expect(scheduler.dryRun(10 * SECOND, asked(1, 1000, 300))).toEqual({
    accepted: true,
    reason: null,
    start: 1000 * SECOND,
    end: 1300 * SECOND,
    machines: { 1: 1 },
    displaces: [1],
    firstPossibleStart: null,
    continueFrom: null,
  });
});

it('does not reveal the number of preemptible leases', () => {
  const config = { preemption: 'ar-preempts-everything', suspension: 'all' } as const;
  const cast = [bestEffort(0, 1, 3600), bestEffort(0, 1, 3600), reservation(0, 20, 2, 3600)];
  const { scheduler } = new Stage(cast, { config }).to(10);
  expect(scheduler.dryRun(10 * SECOND, asked(3, 1000, 300)).reason?.message).toBe(
    'its machines do not fit beside what is reserved from its start to its end, even if other leases were preempted',
  );
});

it('returns the earliest possible start of a rejected reservation', () => {
  const { scheduler } = new Stage([reservation(0, 100, 3, 500)]).to(10);
  const told = scheduler.dryRun(10 * SECOND, asked(2, 50, 100));
  expect(told).toMatchObject({
    accepted: false,
    reason: { code: 'NO_CAPACITY' },
    firstPossibleStart: 600 * SECOND,
  });
});

it('returns the windows in which machines are available', () => {
  const { scheduler } = new Stage([reservation(0, 100, 3, 500)]).to(10);
  const question = { machines: machines(2), duration: 50 * SECOND, preemptible: false };
  expect(scheduler.availability(10 * SECOND, { ...question, from: 0, to: 1000 * SECOND })).toEqual({
    earliestStart: 10 * SECOND,
    windows: [
      { start: 10 * SECOND, end: 50 * SECOND + 1 },
      { start: 600 * SECOND, end: 1000 * SECOND },
    ],
    continueFrom: null,
  });
  const tooMany = { ...question, machines: machines(5), from: 0, to: null };
  expect(scheduler.availability(10 * SECOND, tooMany)).toEqual({
    ...{ earliestStart: null, windows: [], continueFrom: null },
  });
});

it('answers in parts when there are many starts to try, and the parts join to the whole answer', () => {
  // 300 reservations of the whole site, a second apart: no place before the last one ends but for what takes a second.
  const { scheduler } = new Stage(
    Array.from({ length: 300 }, (_, index) => reservation(0, 100 + 11 * index, 4, 10)),
  ).to(10);
  const question = { machines: machines(1), preemptible: false, from: 0, to: 10_000 * SECOND };
  const whole = (duration: number) => {
    const parts = [scheduler.availability(10 * SECOND, { ...question, duration })];
    for (let from = parts[0]?.continueFrom; typeof from === 'number'; from = parts.at(-1)?.continueFrom)
      parts.push(scheduler.availability(10 * SECOND, { ...question, duration, from }));
    return { parts: parts.length, answer: parts.reduce(joinAvailability) };
  };
  const long = whole(100 * SECOND);
  expect(long.parts).toBeGreaterThan(5);
  expect(long.answer).toEqual({
    earliestStart: 3399 * SECOND,
    windows: [{ start: 3399 * SECOND, end: 10_000 * SECOND }],
    continueFrom: null,
  });
  const { windows } = whole(SECOND).answer;
  expect(windows).toHaveLength(301);
  expect(windows[1]).toEqual({ start: 110 * SECOND, end: 110 * SECOND + 1 });
  // A dry run says from where to go on.
  const refused = scheduler.dryRun(10 * SECOND, asked(1, 100, 100));
  expect(refused).toMatchObject({ accepted: false, firstPossibleStart: null });
  expect(refused.continueFrom).toBeLessThan(3399 * SECOND);
});

it('has no start for what would end after the year 9999', () => {
  const { scheduler } = new Stage([]).to(10);
  const question = { machines: machines(1), duration: 3600 * SECOND, preemptible: false, to: null };
  const last = LAST_INSTANT - 3600 * SECOND;
  expect(scheduler.availability(10 * SECOND, { ...question, from: last }).earliestStart).toBe(last);
  expect(scheduler.availability(10 * SECOND, { ...question, from: last + 1 })).toEqual({
    ...{ earliestStart: null, windows: [], continueFrom: null },
  });
});

it('tries every start that matters, however many leases have the same last start', () => {
  const { scheduler } = new Stage([
    // They must begin at 500 at the latest.
    ...Array.from({ length: 70 }, () => withDeadline(0, 400, 501, 1, 1)),
    reservation(0, 600, 4, 100),
    reservation(0, 740, 4, 60),
  ]).to(10);
  const question = { machines: machines(4), duration: 20 * SECOND, preemptible: false };
  const ask = (from: number) => scheduler.availability(10 * SECOND, { ...question, from, to: 1000 * SECOND });
  let answer = ask(430 * SECOND);
  while (answer.continueFrom !== null) answer = joinAvailability(answer, ask(answer.continueFrom));
  expect(answer.windows).toEqual([
    { start: 430 * SECOND, end: 580 * SECOND + 1 },
    { start: 700 * SECOND, end: 720 * SECOND + 1 },
    { start: 800 * SECOND, end: 1000 * SECOND },
  ]);
});

it('queues a best-effort lease that has no plan', () => {
  const { scheduler } = new Stage([bestEffort(0, 4, 600)], { config: { backfilling: 'off' } }).to(10);
  const request = {
    type: 'BEST_EFFORT' as const,
    machines: machines(1),
    duration: SECOND,
    preemptible: true,
  };
  expect(scheduler.dryRun(10 * SECOND, request)).toMatchObject({
    accepted: true,
    reason: { code: 'NO_CAPACITY' },
    start: null,
    firstPossibleStart: null,
    continueFrom: null,
  });
});
