import { describe, expect, it } from 'vitest';
import { stateRows } from '../../console/src/pages/lease-states.ts';

type Lease = Parameters<typeof stateRows>[0];

const minute = 60_000;
const at = (minutes: number) => new Date(minutes * minute).toISOString();
const change = (minutes: number, to: string) => ({ at: at(minutes), to });
const reservation = (kind: string, state: string, start: number, end: number) => ({
  ...{ kind, state, start: at(start), end: at(end) },
});

function rowsOf(
  changes: readonly object[],
  reservations: readonly object[],
  { now = 0, ended = null, count = changes.length }: { now?: number; ended?: number | null; count?: number },
) {
  const lease = {
    submittedAt: at(0),
    endedAt: ended === null ? null : at(ended),
    events: { totalCount: count, nodes: changes },
    reservations: { totalCount: reservations.length, nodes: reservations },
  } as unknown as Lease;
  const { from, to, rows } = stateRows(lease, now * minute);
  const spans = rows.map(({ state, spans: all }) => [
    state,
    ...all.map(({ start, end, isPlanned }) => `${isPlanned ? '~' : ''}${start / minute}-${end / minute}`),
  ]);
  return { from: from / minute, to: to / minute, spans };
}

describe('the states of a lease over time', () => {
  it('are a row each, with what is planned', () => {
    const changes = [
      change(0, 'PENDING'),
      change(1, 'ACTIVE'),
      change(5, 'SUSPENDING'),
      change(6, 'SUSPENDED_SCHEDULED'),
      change(8, 'ACTIVE'),
    ];
    const reservations = [
      reservation('VM', 'DONE', 1, 5),
      reservation('VM', 'ACTIVE', 8, 12),
      reservation('SUSPENSION', 'SCHEDULED', 12, 13),
      reservation('VM', 'SCHEDULED', 20, 25),
      reservation('SHUTDOWN', 'SCHEDULED', 25, 26),
    ];
    expect(rowsOf(changes, reservations, { now: 9 })).toEqual({
      ...{ from: 0, to: 25 },
      spans: [
        ['PENDING', '0-1'],
        ['ACTIVE', '1-5', '8-9', '~9-12', '~20-25'],
        ['SUSPENDING', '5-6', '~12-13'],
        ['SUSPENDED_SCHEDULED', '6-8'],
      ],
    });
  });

  it('end with the lease, and begin with the first change that is known', () => {
    const changes = [change(3, 'ACTIVE'), change(7, 'DONE')];
    expect(rowsOf(changes, [reservation('VM', 'SCHEDULED', 9, 10)], { now: 99, ended: 7, count: 200 })).toEqual({
      ...{ from: 3, to: 7 },
      spans: [
        ['ACTIVE', '3-7'],
        ['DONE', '7-7'],
      ],
    });
  });

  it('do not go back where the clock of the browser is behind', () => {
    expect(rowsOf([change(5, 'PENDING')], [], { now: 4 })).toEqual({
      ...{ from: 0, to: 5 },
      spans: [['PENDING', '5-5']],
    });
  });
});
