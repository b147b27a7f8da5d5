import { describe, expect, it } from 'vitest';
import {
  type AdmissionPolicy,
  LAST_INSTANT,
  type LeaseRequest,
  Scheduler,
  type SchedulerError,
} from '../../../src/core/index.ts';
import { request } from '../../support/lease.ts';
import { configOf, FOUR_NODES, reservation, tell } from '../../support/story.ts';

const NOW = 1_000_000;

const scheduler = () => Scheduler.create(FOUR_NODES, configOf());

/** Invalid requests: the path of the error and a part of its message. */
const nonsense: readonly (readonly [
  what: string,
  change: Partial<LeaseRequest>,
  path: readonly string[],
  said: string,
])[] = [
  ['no machines', { machines: [] }, ['machines'], 'at least one machine'],
  ['a machine without resources', { machines: [{}] }, ['machines', '0'], 'Machine 1 requests no resources'],
  [
    'a machine with 0 of everything',
    { machines: [{ CPU: 0, Memory: [0] }] },
    ['machines', '0'],
    'requests no resources',
  ],
  ['less than nothing', { machines: [{ CPU: 1 }, { CPU: -1 }] }, ['machines', '1', 'CPU'], 'Machine 2 requests -1 CPU'],
  ['half a megabyte', { machines: [{ Memory: 0.5 }] }, ['machines', '0', 'Memory'], 'requests 0.5 Memory'],
  ['an amount that is no number', { machines: [{ CPU: Number.NaN }] }, ['machines', '0', 'CPU'], 'NaN'],
  [
    'an amount beyond counting',
    { machines: [{ CPU: 2 ** 53 }] },
    ['machines', '0', 'CPU'],
    'whole numbers of 0 or more',
  ],
  ['an instance below 0', { machines: [{ CPU: [100, -5] }] }, ['machines', '0', 'CPU'], '-5'],
  ['a resource of another world', { machines: [{ GPU: 1 }] }, ['machines', '0', 'GPU'], 'no resource type "GPU"'],
  ['no time at all', { duration: 0 }, ['duration'], 'longer than 0'],
  ['negative time', { duration: -5 }, ['duration'], '-5'],
  ['fractions of a millisecond', { duration: 1.5 }, ['duration'], '1.5'],
  ['eternity', { duration: Number.POSITIVE_INFINITY }, ['duration'], 'Infinity'],
  ['a negative known duration', { knownDuration: -1 }, ['knownDuration'], '-1'],
  ['an advance reservation without a start', { type: 'ADVANCE_RESERVATION' }, ['start'], 'needs a start'],
  ['a start at no instant', { type: 'ADVANCE_RESERVATION', start: 0.5 }, ['start'], 'needs a start'],
  [
    'an end beyond the year 9999',
    { type: 'ADVANCE_RESERVATION', start: LAST_INSTANT - 3_599_999, duration: 3_600_000 },
    ['start'],
    'the year 9999',
  ],
  ['a best-effort lease with a start', { start: NOW }, ['start'], 'Only an advance reservation'],
  ['an immediate lease with a start', { type: 'IMMEDIATE', start: NOW }, ['start'], 'Only an advance reservation'],
  ['an image without a name', { image: { name: '', sizeMb: 5 } }, ['image'], 'needs a name'],
  ['an image of a negative size', { image: { name: 'a', sizeMb: -5 } }, ['image'], '-5'],
];

describe('an invalid request', () => {
  it.each(nonsense)('is refused: %s', (_what, change, path, said) => {
    const site = scheduler();
    const before = JSON.stringify(site.snapshot());
    expect(() => site.request(NOW, request(change))).toThrow(
      expect.objectContaining({
        name: 'SchedulerError',
        code: 'INVALID_REQUEST',
        path,
        message: expect.stringContaining(said),
      }) as SchedulerError,
    );
    expect(JSON.stringify(site.snapshot())).toBe(before);
    expect(site.takeChanges()).toMatchObject({ site: null, leases: [], events: [] });
  });

  it.each([
    ['no deadline', { type: 'DEADLINE' }],
    ['a deadline after the year 9999', { type: 'DEADLINE', deadline: 300_000_000_000_000 }],
    ['a best-effort lease with a deadline', { deadline: NOW + 3_600_000 }],
    ['an advance reservation with one', { type: 'ADVANCE_RESERVATION', start: NOW, deadline: NOW + 3_600_000 }],
  ] as const)('is refused: %s', (_what, changes) => {
    expect(() => scheduler().request(NOW, request(changes))).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', path: ['deadline'] }) as SchedulerError,
    );
  });

  it('is refused: the number of another lease', () => {
    const site = scheduler();
    site.request(NOW, request({ id: 7 }));
    expect(() => site.request(NOW, request({ id: 7 }))).toThrow(
      expect.objectContaining({
        code: 'INVALID_REQUEST',
        path: ['id'],
        message: 'There is already a lease 7.',
      }) as SchedulerError,
    );
  });
});

describe('a valid request', () => {
  it('becomes PENDING and gets a number', () => {
    const site = scheduler();
    expect(site.request(NOW, request({ name: 'first' }))).toEqual({
      id: 1,
      name: 'first',
      type: 'BEST_EFFORT',
      state: 'PENDING',
      reason: null,
      submittedAt: NOW,
      requestedStart: null,
      originalDuration: 600_000,
      duration: 600_000,
      knownDuration: null,
      accumulated: 0,
      restarts: 0,
      lostDuration: 0,
      preemptible: true,
      machines: [{ CPU: 100, Memory: 1024 }],
      owner: null,
      project: null,
      occurrenceOf: null,
      image: null,
      actualStart: null,
      plannedStart: null,
      endedAt: null,
      queueRank: null,
      isFuture: false,
      deadline: null,
      endNotice: null,
      isWithoutPlace: false,
      preemptions: 0,
      mapping: null,
      memoryAt: {},
      diskAt: {},
    });
    expect(site.request(NOW, request({ id: 7 })).id).toBe(7);
    expect(site.request(NOW, request()).id).toBe(8);
    expect(site.needsPass).toBe(true);
    expect(site.liveLeases).toBe(3);
  });

  it('may list several amounts of a resource, of which a site with one instance counts the first', () => {
    const story = tell([reservation(0, 10, 1, 60, { each: { CPU: [50, 400], Memory: 64 } })]);
    expect(story.lease(1).state).toBe('DONE');
  });
});

describe('admission', () => {
  it('accepts every lease by default', () => {
    expect(tell([reservation(0, 10, 1, 60)]).lease(1).state).toBe('DONE');
  });

  it('can reject advance reservations at once', () => {
    const story = tell([reservation(0, 10, 1, 60)], { config: { admission: 'no-ARs' } });
    expect(story.path(1)).toBe('0 PENDING, 0 REJECTED');
    expect(story.lease(1).reason).toBe('this site takes no advance reservations');
  });

  it('is not called for leases that could never run', () => {
    const asked: number[] = [];
    const curious: AdmissionPolicy = {
      admit({ id }) {
        asked.push(id);
        return null;
      },
    };
    const policies = { admission: { curious } };
    tell([reservation(0, 10, 5, 60), reservation(0, 10, 1, 60)], {
      policies,
      config: { admission: 'curious' },
    });
    expect(asked).toEqual([2]);
  });
});
