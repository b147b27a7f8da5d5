import { describe, expect, it } from 'vitest';
import { DAY, LAST_INSTANT, type LeaseRequest, Scheduler } from '../../../src/core/index.ts';
import { request } from '../../support/lease.ts';
import { configOf } from '../../support/story.ts';

const NOW = 1_000_000;
const ONE_NODE = {
  resourceTypes: ['CPU', 'Memory'],
  nodes: [{ number: 1, hostname: 'node-1', capacity: { CPU: 100, Memory: 1024 } }],
};
const whole: Partial<LeaseRequest> = { machines: [{ CPU: 100, Memory: 1024 }] };

/** Requests and schedules a lease; returns the result. */
const outcome = (config: Parameters<typeof configOf>[0], ...asked: Partial<LeaseRequest>[]) => {
  const site = Scheduler.create(ONE_NODE, configOf(config));
  for (const each of asked) site.request(NOW, request({ ...whole, ...each }));
  for (const _ of site.pass(NOW));
  const { leases, reservations } = site.takeChanges();
  const ends = reservations.map(({ end }) => end);
  expect(ends.every((end) => end <= LAST_INSTANT)).toBe(true);
  return leases.map(({ state, plannedStart }) => [state, plannedStart]);
};

/** Reserves the site for the last representable hour. */
const lastHour: Partial<LeaseRequest> = {
  type: 'ADVANCE_RESERVATION',
  start: LAST_INSTANT - 3_600_000,
  duration: 3_600_000,
};

describe('no lease is planned beyond the last representable instant', () => {
  it('a lease that fits only after it stays in the queue', () => {
    const duration = LAST_INSTANT - NOW;
    expect(outcome({ backfilling: 'conservative' }, lastHour, { duration }, { duration: DAY })).toEqual([
      ['READY', lastHour.start],
      ['QUEUED', null],
      ['READY', NOW],
    ]);
  });

  it('a lease that ends exactly at it is planned', () => {
    const half = (LAST_INSTANT - NOW) / 2;
    const left = LAST_INSTANT - NOW - Math.floor(half);
    expect(outcome({ backfilling: 'conservative' }, { duration: Math.floor(half) }, { duration: left })).toEqual([
      ['READY', NOW],
      ['READY', NOW + Math.floor(half)],
    ]);
  });

  it.each([2 ** 53 - 1, 3.2e12])('does not wait for an image of %d MB', (sizeMb) => {
    const image = { name: 'huge', sizeMb };
    expect(
      outcome(
        { preparation: 'imagetransfer' },
        { image, duration: DAY },
        { type: 'IMMEDIATE', image, duration: DAY },
        { type: 'ADVANCE_RESERVATION', image, start: NOW + DAY, duration: DAY },
        { duration: DAY },
      ).map(([state]) => state),
    ).toEqual(['QUEUED', 'REJECTED', 'REJECTED', 'READY']);
  });
});
