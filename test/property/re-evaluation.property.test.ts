import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { defaultSchedulerConfig, SECOND } from '../../src/core/index.ts';
import { FreedSpace } from '../../src/core/slot-table/freed-space.ts';
import { noOverheads } from '../../src/simulation/overheads.ts';
import { simulate } from '../../src/simulation/run.ts';
import type { TraceLease, Workload } from '../../src/simulation/workload.ts';

const MACHINE = { CPU: 100, Memory: 1024 };
const NODES = 12;

/**
 * More work than the site can do, much of which ends early: leases with a reservation in the future are looked at over
 * and over.
 */
const backlogs: fc.Arbitrary<Workload> = fc
  .array(
    fc.record({
      gap: fc.integer({ min: 0, max: 600 }),
      width: fc.integer({ min: 1, max: 6 }),
      seconds: fc.integer({ min: 60, max: 7200 }),
      known: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: null }),
    }),
    { minLength: 40, maxLength: 90 },
  )
  .map((rows) => {
    let arrival = 0;
    const leases = rows.map(({ gap, width, seconds, known }, index): TraceLease => {
      arrival += gap * SECOND;
      return {
        id: index + 1,
        type: 'BEST_EFFORT',
        arrival,
        machines: new Array(width).fill(MACHINE),
        duration: seconds * SECOND,
        knownDuration: known === null ? null : Math.floor(known * seconds) * SECOND,
        start: null,
        deadline: null,
        preemptible: true,
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

const modes = fc.constantFrom('conservative', 'intermediate', 'aggressive' as const);

const run = (
  workload: Workload,
  backfilling: 'conservative' | 'intermediate' | 'aggressive',
  shutdownTime: number,
) =>
  simulate({
    workload,
    cancellations: [{ at: 1800 * SECOND, leaseId: 7 }],
    config: {
      scheduler: { ...defaultSchedulerConfig, backfilling, backfillingReservations: 4, shutdownTime },
      startTime: 0,
      site: null,
      stopWhen: 'all-leases-done',
      overheads: noOverheads,
      overrideMemory: null,
      probes: [],
      attributes: {},
    },
  });

describe('looking only where something was given back', () => {
  afterEach(() => vi.restoreAllMocks());

  it('finds what looking everywhere finds', () => {
    fc.assert(
      fc.property(backlogs, modes, fc.constantFrom(0, 10 * SECOND), (workload, backfilling, shutdownTime) => {
        const found = run(workload, backfilling, shutdownTime);
        const everywhere = vi.spyOn(FreedSpace.prototype, 'remembers').mockReturnValue(false);
        const expected = run(workload, backfilling, shutdownTime);
        everywhere.mockRestore();
        expect(found).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });
});
