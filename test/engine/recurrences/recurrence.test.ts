import { describe, expect, test } from 'vitest';
import type { RecurrenceRequest } from '../../../src/core/index.ts';
import { defaultLimits } from '../../../src/engine/limits.ts';
import { StoreError } from '../../../src/engine/ports.ts';
import {
  epoch,
  Harness,
  type HarnessOptions,
  hours,
  minutes,
  principal,
  reservationAt,
  settle,
} from '../../support/engine-harness.ts';

const options = { principal };
const days = (count: number): number => hours(24 * count);

/** At 09:00 UTC each day from the day after the epoch. */
function daily(changes: Partial<RecurrenceRequest> = {}): RecurrenceRequest {
  return {
    name: 'backup',
    machines: [{ CPU: 100, Memory: 1024 }],
    duration: hours(1),
    preemptible: false,
    image: null,
    owner: principal.name,
    project: null,
    collisions: 'ALL_OR_NOTHING',
    rule: 'FREQ=DAILY',
    timeZone: 'UTC',
    firstStart: '2024-01-02T09:00',
    ...changes,
  };
}

const startOf = (index: number): number => epoch + days(index) + hours(9);

function harnessWith(horizon: number, more: HarnessOptions = {}): Harness {
  return new Harness({
    nodes: 1,
    ...more,
    limits: { ...more.limits, recurrences: { ...defaultLimits.recurrences, horizon } },
  });
}

/** Index and start of all leases that were made of a recurrence. */
function madeOf({ database }: Harness, recurrence = 1): (readonly [number, number | null])[] {
  return [...database.leases.values()]
    .flatMap(({ occurrenceOf, requestedStart }) =>
      occurrenceOf?.recurrence === recurrence ? [[occurrenceOf.index, requestedStart] as const] : [],
    )
    .sort(([a], [b]) => a - b);
}

describe('creation', () => {
  test('makes the occurrences within the horizon, and the others when they enter it', async () => {
    await using harness = harnessWith(days(3));
    const { engine } = await harness.start();
    expect(await engine.submit('createRecurrence', daily(), options)).toEqual({
      ...{ recurrence: 1, skipped: [], displaced: [] },
    });
    expect(madeOf(harness)).toEqual([1, 2].map((index) => [index, startOf(index)]));
    expect(harness.database.recurrences.get(1)?.next).toEqual({
      ...{ index: 3, day: '2024-01-04', start: startOf(3) },
    });
    await harness.pass(hours(9) - 1);
    expect(madeOf(harness)).toHaveLength(2);
    await harness.pass(1);
    expect(madeOf(harness)).toEqual([1, 2, 3].map((index) => [index, startOf(index)]));
    await harness.pass(days(10), hours(1));
    expect(madeOf(harness)).toEqual(Array.from({ length: 13 }, (_, at) => [at + 1, startOf(at + 1)]));
    expect([1, 9, 11].map((lease) => harness.state(lease))).toEqual(['DONE', 'DONE', 'READY']);
  });

  test('is passed on by a standby', async () => {
    await using harness = harnessWith(days(3));
    await harness.start();
    const standby = await harness.start();
    const created = await standby.engine.submit('createRecurrence', daily({ rule: 'FREQ=DAILY;COUNT=2' }), options);
    expect(created).toEqual({ recurrence: 1, skipped: [], displaced: [] });
    expect(harness.database.recurrences.get(1)?.next).toBeNull();
  });

  test('with ALL_OR_NOTHING names the first impossible occurrence, and leaves no trace', async () => {
    await using harness = harnessWith(days(5));
    const { engine } = await harness.start();
    await engine.submit('request', reservationAt(startOf(3) + minutes(30), hours(1)), options);
    await settle();
    const before = { commits: harness.database.commits, events: harness.database.events.length };
    await expect(engine.submit('createRecurrence', daily(), options)).rejects.toMatchObject({
      code: 'NOT_SCHEDULABLE',
      message: expect.stringMatching(/^Occurrence 3, at 2024-01-04T09:00:00 in UTC, is not available: .*\.$/),
      path: ['rule'],
      details: { occurrences: [{ index: 3, start: startOf(3) }] },
    });
    expect({ commits: harness.database.commits, events: harness.database.events.length }).toEqual(before);
    expect(await engine.submit('request', reservationAt(startOf(1), hours(1)), options)).toEqual({
      leaseNumber: 2,
    });
  });

  test('with SKIP makes the others, and reports the skipped ones with their reasons', async () => {
    await using harness = harnessWith(days(5));
    const { engine } = await harness.start();
    await engine.submit('request', reservationAt(startOf(3) + minutes(30), hours(1)), options);
    const { skipped } = await engine.submit('createRecurrence', daily({ collisions: 'SKIP' }), options);
    expect(skipped).toEqual([
      { index: 3, start: startOf(3), reason: { code: expect.any(String), message: expect.any(String) } },
    ]);
    expect(madeOf(harness)).toEqual([1, 2, 4].map((index) => [index, startOf(index)]));
    expect(harness.database.recurrences.get(1)?.skipped).toEqual(skipped);
  });

  test('makes a rejected lease of a later occurrence that is impossible', async () => {
    await using harness = harnessWith(days(2));
    const { engine } = await harness.start();
    await engine.submit('request', reservationAt(startOf(4), hours(1)), options);
    await engine.submit('createRecurrence', daily(), options);
    await harness.pass(days(4), hours(1));
    const fourth = [...harness.database.leases.values()].find(({ occurrenceOf }) => occurrenceOf?.index === 4);
    expect(fourth).toMatchObject({ state: 'REJECTED', requestedStart: startOf(4) });
  });

  test.each([
    [{ rule: 'FREQ=HOURLY' }, 'INVALID_REQUEST', ['rule']],
    [{ rule: 'FREQ=DAILY;COUNT=2;UNTIL=20240301' }, 'INVALID_REQUEST', ['rule']],
    [{ rule: 'FREQ=DAILY;UNTIL=20231231' }, 'INVALID_REQUEST', ['rule']],
    [{ rule: 'FREQ=WEEKLY;BYDAY=MO' }, 'INVALID_REQUEST', ['firstStart']],
    [{ timeZone: 'Mars/Olympus' }, 'INVALID_REQUEST', ['timeZone']],
    [{ firstStart: '2024-02-30T09:00' }, 'INVALID_REQUEST', ['firstStart']],
    [{ firstStart: '2024-01-02T09:00Z' }, 'INVALID_REQUEST', ['firstStart']],
    [{ firstStart: '2023-12-31T23:59:59' }, 'START_IN_PAST', ['firstStart']],
    [{ duration: 0 }, 'INVALID_REQUEST', ['duration']],
    [{ machines: [{ CPU: -1 }] }, 'INVALID_REQUEST', ['machines', '0', 'CPU']],
    [{ machines: [{ CPU: 101 }], collisions: 'SKIP' as const }, 'NOT_SCHEDULABLE', ['rule']],
  ])('%j is refused', async (changes, code, path) => {
    await using harness = harnessWith(days(3));
    const { engine } = await harness.start();
    await expect(engine.submit('createRecurrence', daily(changes), options)).rejects.toMatchObject({
      code,
      path,
    });
    expect(harness.database.recurrences.size).toBe(0);
  });

  test('limits the active recurrences per project', async () => {
    const recurrences = { horizon: days(3), maxPerProject: 2 };
    await using harness = new Harness({ nodes: 4, limits: { recurrences } });
    const { engine } = await harness.start();
    const once = daily({ rule: 'FREQ=DAILY;COUNT=1' });
    await engine.submit('createRecurrence', once, options);
    await engine.submit('createRecurrence', { ...once, project: 7 }, options);
    await engine.submit('createRecurrence', once, options);
    await expect(engine.submit('createRecurrence', once, options)).rejects.toMatchObject({
      code: 'TOO_MANY_RECURRENCES',
    });
    await harness.pass(days(2), hours(6));
    const next = daily({ firstStart: '2024-01-10T09:00' });
    expect(await engine.submit('createRecurrence', next, options)).toMatchObject({ recurrence: 4 });
  });
});

describe('a dry run', () => {
  test('returns which occurrences are possible, and when the others would be', async () => {
    await using harness = harnessWith(days(4));
    const { engine } = await harness.start();
    await engine.submit('request', reservationAt(startOf(2), hours(3)), options);
    const { commits } = harness.database;
    const occurrence = (index: number) => ({ index, start: startOf(index), end: startOf(index) + hours(1) });
    expect(await engine.submit('rehearseRecurrence', daily(), options)).toEqual({
      accepted: false,
      occurrences: [
        { ...occurrence(1), reason: null, firstPossibleStart: null },
        {
          ...occurrence(2),
          reason: { code: expect.any(String), message: expect.any(String) },
          firstPossibleStart: startOf(2) + hours(3),
        },
        { ...occurrence(3), reason: null, firstPossibleStart: null },
      ],
      displaces: [],
    });
    expect(await engine.submit('rehearseRecurrence', daily({ rule: 'FREQ=DAILY;COUNT=1' }), options)).toMatchObject({
      ...{ accepted: true, occurrences: [{ index: 1 }] },
    });
    const never = daily({ machines: [{ CPU: 101 }] });
    expect(await engine.submit('rehearseRecurrence', never, options)).toMatchObject({
      accepted: false,
      occurrences: [1, 2, 3].map((index) => ({ index, firstPossibleStart: null })),
    });
    expect(harness.database.commits).toBe(commits);
    expect(harness.database.recurrences.size).toBe(0);
  });
});

describe('occurrences are made once', () => {
  test.each(['before', 'after', 'hang', 'hang-after'] as const)(
    'when the commit that makes one fails (%s), and with a restart',
    async (fault) => {
      await using harness = harnessWith(days(2));
      const { engine, store } = await harness.start();
      await engine.submit('createRecurrence', daily(), options);
      for (let day = 1; day <= 4; day += 1) {
        let failed = false;
        store.commitFault = ({ changes }) => {
          if (failed || !changes.leases.some(({ occurrenceOf }) => occurrenceOf !== null)) return null;
          failed = true;
          return fault;
        };
        await harness.pass(days(1), minutes(30));
        expect(failed).toBe(true);
      }
      await engine.stop();
      const other = await harness.start();
      await harness.pass(days(2), hours(1));
      expect(other.engine.status().role).toBe('writer');
      expect(madeOf(harness)).toEqual([1, 2, 3, 4, 5, 6, 7].map((index) => [index, startOf(index)]));
    },
  );

  test('by two writers in succession, even if the first does not know that it lost the right to write', async () => {
    await using harness = harnessWith(days(2));
    const first = await harness.start();
    const second = await harness.start();
    await first.engine.submit('createRecurrence', daily(), options);
    // The lock is lost while the commit that makes occurrence 2 waits.
    let held = false;
    first.store.beforeCommit = async ({ changes }) => {
      if (held || !changes.leases.some(({ occurrenceOf }) => occurrenceOf?.index === 2)) return;
      held = true;
      first.store.failing = () => new StoreError('TRANSIENT', 'this process is cut off');
      harness.database.dropWriter();
      await harness.pass(minutes(1), 500);
    };
    const passing = harness.pass(days(3), hours(1));
    await passing;
    expect(held).toBe(true);
    expect(second.engine.status().role).toBe('writer');
    expect(madeOf(harness)).toEqual([1, 2, 3, 4].map((index) => [index, startOf(index)]));
  });

  test('after a clock that jumped ahead, without those of the past', async () => {
    await using harness = harnessWith(days(3));
    const { engine } = await harness.start();
    await engine.submit('createRecurrence', daily(), options);
    await harness.pass(days(1000));
    expect(madeOf(harness).map(([index]) => index)).toEqual([1, 2, 1000, 1001, 1002]);
    expect(harness.database.recurrences.get(1)?.next?.index).toBe(1003);
  });
});

describe('update', () => {
  test('moves occurrences that have not started, from a given one on, on the wall clock', async () => {
    await using harness = harnessWith(days(4));
    const { engine } = await harness.start();
    await engine.submit('createRecurrence', daily({ duration: hours(2) }), options);
    const update = { recurrence: 1, from: 2, start: '2024-01-03T10:30', duration: hours(1) };
    expect(await engine.submit('updateRecurrence', update, options)).toEqual({
      recurrence: 1,
      displaced: [],
    });
    await harness.pass(days(3), hours(1));
    const later = (index: number) => startOf(index) + minutes(90);
    expect(madeOf(harness)).toEqual([[1, startOf(1)], ...[2, 3, 4, 5, 6].map((index) => [index, later(index)])]);
    const durations = [...harness.database.leases.values()].map(({ duration }) => duration);
    expect(durations).toEqual([2, 1, 1, 1, 1, 1].map(hours));
    expect(harness.database.recurrences.get(1)?.terms).toEqual([
      { from: 1, duration: hours(2), shift: 0 },
      { from: 2, duration: hours(1), shift: minutes(90) },
    ]);
  });

  test('moves occurrences into the space that others of the recurrence leave', async () => {
    await using harness = harnessWith(days(4));
    const { engine } = await harness.start();
    await engine.submit('createRecurrence', daily({ duration: hours(23) }), options);
    for (const [start, shift] of [
      ['2024-01-02T15:00', hours(6)],
      ['2024-01-02T03:00', hours(-6)],
    ] as const) {
      await engine.submit('updateRecurrence', { recurrence: 1, from: null, start }, options);
      await settle();
      expect(madeOf(harness)).toEqual([1, 2, 3].map((index) => [index, startOf(index) + shift]));
    }
  });

  test('changes nothing when one of them is impossible', async () => {
    await using harness = harnessWith(days(4));
    const { engine } = await harness.start();
    await engine.submit('createRecurrence', daily(), options);
    await engine.submit('request', reservationAt(startOf(3) + hours(1), hours(1)), options);
    await settle();
    const before = structuredClone({ leases: harness.database.leases, commits: harness.database.commits });
    const update = { recurrence: 1, from: null, duration: hours(2) };
    await expect(engine.submit('updateRecurrence', update, options)).rejects.toMatchObject({
      code: 'NOT_SCHEDULABLE',
      message: expect.stringMatching(/^Occurrence 3 cannot be changed\. [A-Z].*\.$/),
    });
    // Its dry run names the occurrence, and when it is available. With another duration it is accepted.
    expect(await engine.submit('rehearseRecurrenceUpdate', update, options)).toEqual({
      accepted: false,
      occurrences: [
        {
          ...{ index: 3, start: startOf(3), end: startOf(3) + hours(2) },
          reason: { code: 'NOT_SCHEDULABLE', message: expect.any(String) },
          firstPossibleStart: startOf(3) + hours(2),
        },
      ],
      displaces: [],
    });
    const moved = { recurrence: 1, from: 2, start: '2024-01-03T10:00' };
    expect(await engine.submit('rehearseRecurrenceUpdate', { ...moved, duration: minutes(30) }, options)).toEqual({
      accepted: false,
      occurrences: [expect.objectContaining({ index: 3 })],
      displaces: [],
    });
    const shorter = { recurrence: 1, from: 2, duration: minutes(30) };
    const later = (index: number) => ({
      ...{ index, start: startOf(index), end: startOf(index) + minutes(30) },
      ...{ reason: null, firstPossibleStart: null },
    });
    expect(await engine.submit('rehearseRecurrenceUpdate', shorter, options)).toEqual({
      ...{ accepted: true, occurrences: [later(2), later(3)], displaces: [] },
    });
    await expect(
      engine.submit('rehearseRecurrenceUpdate', { recurrence: 1, from: 9, start: 'never' }, options),
    ).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    expect({ leases: harness.database.leases, commits: harness.database.commits }).toEqual(before);
  });

  test('leaves running and cancelled occurrences unchanged', async () => {
    await using harness = harnessWith(days(3));
    const { engine } = await harness.start();
    await engine.submit('createRecurrence', daily({ duration: hours(3) }), options);
    await harness.pass(days(1) + hours(10), hours(1));
    expect(harness.state(1)).toBe('ACTIVE');
    await engine.submit('cancel', { leaseNumber: 2 }, options);
    await engine.submit('updateRecurrence', { recurrence: 1, from: null, duration: hours(1), name: 'b' }, options);
    await harness.pass(days(2), hours(1));
    const leases = [...harness.database.leases.values()];
    expect(leases.map(({ duration, name, state }) => [duration / hours(1), name, state])).toEqual([
      [3, 'backup', 'DONE'],
      [3, 'backup', 'CANCELLED'],
      [1, 'backup', 'DONE'],
      [1, 'backup', 'READY'],
      [1, 'b', 'READY'],
      [1, 'b', 'READY'],
    ]);
  });

  test.each([
    [{ recurrence: 2, from: null, duration: 1 }, 'RECURRENCE_NOT_FOUND'],
    [{ recurrence: 1, from: 0, duration: hours(1) }, 'INVALID_REQUEST'],
    [{ recurrence: 1, from: 4, start: '2024-01-05T09:00' }, 'INVALID_REQUEST'],
    [{ recurrence: 1, from: 1, start: '2026-01-05T09:00' }, 'INVALID_REQUEST'],
    [{ recurrence: 1, from: 1, start: 'tomorrow' }, 'INVALID_REQUEST'],
    [{ recurrence: 1, from: 2, start: '2024-01-02T08:59' }, 'INVALID_REQUEST'],
    [{ recurrence: 1, from: 2, start: '2023-12-31T09:00' }, 'START_IN_PAST'],
    [{ recurrence: 1, from: 1, duration: 0 }, 'INVALID_REQUEST'],
  ])('%j is refused', async (update, code) => {
    await using harness = harnessWith(days(9));
    const { engine } = await harness.start();
    await engine.submit('createRecurrence', daily({ rule: 'FREQ=DAILY;COUNT=3' }), options);
    await expect(engine.submit('updateRecurrence', update, options)).rejects.toMatchObject({ code });
  });
});

describe('cancellation', () => {
  test('cancels occurrences that have not started, and makes no more', async () => {
    await using harness = harnessWith(days(3));
    const { engine } = await harness.start();
    await engine.submit('createRecurrence', daily({ duration: hours(3) }), options);
    await harness.pass(days(1) + hours(10), hours(1));
    expect(await engine.submit('cancelRecurrence', { recurrence: 1, from: null }, options)).toEqual({
      recurrence: 1,
    });
    await harness.pass(days(9), hours(6));
    expect([1, 2, 3, 4, 5].map((lease) => harness.state(lease))).toEqual([
      ...['DONE', 'CANCELLED', 'CANCELLED', 'CANCELLED'],
      undefined,
    ]);
    await expect(engine.submit('cancelRecurrence', { recurrence: 1, from: null }, options)).rejects.toMatchObject({
      code: 'RECURRENCE_ENDED',
    });
    await engine.stop();
    const other = await harness.start();
    await expect(other.engine.submit('cancelRecurrence', { recurrence: 1, from: null }, options)).rejects.toMatchObject(
      { code: 'RECURRENCE_ENDED' },
    );
  });

  test('ends the recurrence before an occurrence that is not made yet', async () => {
    await using harness = harnessWith(days(3));
    const { engine } = await harness.start();
    await engine.submit('createRecurrence', daily(), options);
    await engine.submit('cancelRecurrence', { recurrence: 1, from: 5 }, options);
    const upcoming = await engine.submit('upcomingOccurrences', { recurrence: 1, limit: 10 }, options);
    expect(upcoming).toEqual(
      [1, 2, 3, 4].map((index) => ({
        ...{ index, start: startOf(index), end: startOf(index) + hours(1) },
        leaseNumber: index <= 2 ? index : null,
      })),
    );
    await harness.pass(days(9), hours(6));
    expect(madeOf(harness).map(([index]) => index)).toEqual([1, 2, 3, 4]);
  });
});
