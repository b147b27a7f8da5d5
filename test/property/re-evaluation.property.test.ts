import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { defaultSchedulerConfig, type SchedulerConfig, SECOND } from '../../src/core/index.ts';
import type * as UsefulStarts from '../../src/core/lifecycle/useful-starts.ts';
import { noOverheads } from '../../src/simulation/overheads.ts';
import { simulate } from '../../src/simulation/run.ts';
import type { TraceLease, Workload } from '../../src/simulation/workload.ts';
import { PATIENT, runs } from './run.ts';

const everyStart = vi.hoisted(() => ({ isTried: false }));

/** Every better start, whether or not the lease can fit there. */
vi.mock('../../src/core/lifecycle/useful-starts.ts', async (original) => {
  const { usefulStarts } = await original<typeof UsefulStarts>();
  const found: typeof usefulStarts = (state, lease, previous, now) => {
    if (!everyStart.isTried) return usefulStarts(state, lease, previous, now);
    const to = previous.mustSuspend ? previous.start : previous.start - 1;
    return to < now ? [] : [{ from: now, to }];
  };
  return { usefulStarts: found };
});

const MACHINE = { CPU: 100, Memory: 1024 };
const NODES = 12;

/**
 * More work than the site can do, much of which ends early, so that leases with a future reservation are examined
 * repeatedly.
 */
const backlogs: fc.Arbitrary<Workload> = fc
  .array(
    fc.record({
      gap: fc.integer({ min: 0, max: 600 }),
      width: fc.integer({ min: 1, max: 6 }),
      seconds: fc.integer({ min: 60, max: 7200 }),
      known: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: null }),
      /** The time between the request and the start; null: best effort. */
      lead: fc.option(fc.integer({ min: 60, max: 7200 }), { nil: null, freq: 6 }),
      /** The deadline, relative to its earliest end; null: none. */
      slack: fc.option(fc.integer({ min: 600, max: 86_400 }), { nil: null, freq: 6 }),
    }),
    { minLength: 40, maxLength: 90 },
  )
  .map((rows) => {
    let arrival = 0;
    const leases = rows.map(({ gap, width, seconds, known, lead, slack }, index): TraceLease => {
      arrival += gap * SECOND;
      return {
        id: index + 1,
        type: slack !== null ? 'DEADLINE' : lead === null ? 'BEST_EFFORT' : 'ADVANCE_RESERVATION',
        arrival,
        machines: new Array(width).fill(MACHINE),
        duration: seconds * SECOND,
        knownDuration: known === null ? null : Math.floor(known * seconds) * SECOND,
        start: lead === null ? null : arrival + lead * SECOND,
        deadline: slack === null ? null : arrival + (slack + (lead ?? 0) + seconds) * SECOND,
        preemptible: lead === null,
        image: null,
        user: null,
      };
    });
    const nodes = Array.from({ length: NODES }, (_, index) => ({
      number: index + 1,
      hostname: `n${index + 1}`,
      capacity: MACHINE,
    }));
    return {
      name: null,
      description: null,
      site: { resourceTypes: ['CPU', 'Memory'], nodes },
      leases,
      attributes: {},
    };
  });

const configs: fc.Arbitrary<Partial<SchedulerConfig>> = fc.record({
  backfilling: fc.constantFrom('conservative', 'intermediate', 'aggressive'),
  backfillingReservations: fc.constant(4),
  shutdownTime: fc.constantFrom(0, 10 * SECOND),
  preemption: fc.constantFrom('no-preemption', 'ar-preempts-everything'),
  suspension: fc.constantFrom('none', 'serial-only', 'all'),
  migration: fc.constantFrom('no', 'yes', 'yes-notransfer'),
});

const run = (workload: Workload, config: Partial<SchedulerConfig>) =>
  simulate({
    workload,
    cancellations: [{ at: 1800 * SECOND, leaseId: 7 }],
    config: {
      scheduler: { ...defaultSchedulerConfig, ...config },
      startTime: 0,
      site: null,
      stopWhen: 'all-leases-done',
      overheads: noOverheads,
      overrideMemory: null,
      probes: [],
      attributes: {},
    },
  });

describe('trying only starts at which a lease may fit', () => {
  it('finds the same plan as trying every start', PATIENT, () => {
    fc.assert(
      fc.property(backlogs, configs, (workload, config) => {
        const found = run(workload, config);
        everyStart.isTried = true;
        try {
          expect(found).toEqual(run(workload, config));
        } finally {
          everyStart.isTried = false;
        }
      }),
      { numRuns: runs(60) },
    );
  });
});
