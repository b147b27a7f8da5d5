import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  advanceReservationFaults,
  expectNoFaults,
  historyFaults,
  planFaults,
  runTimeFaults,
  unfinishedFaults,
} from '../support/invariants/index.ts';
import { Ledger } from './ledger.ts';
import { PATIENT, Run, runs } from './run.ts';
import { scenarios } from './scenario.ts';

describe('for every site, configuration and workload', () => {
  it('no node is over capacity, leases get what was promised, and all of them end', PATIENT, () => {
    fc.assert(
      fc.property(scenarios(), (scenario) => {
        const run = new Run(scenario);
        const ledger = new Ledger(run.scheduler.snapshot().site);
        for (const { changes } of run) {
          ledger.apply(changes);
          expectNoFaults(planFaults(scenario.site, ledger.history()));
          const snapshot = run.scheduler.snapshot();
          if (!isDeepStrictEqual(ledger.snapshot(), snapshot)) expect(ledger.snapshot()).toEqual(snapshot);
        }
        const history = ledger.history();
        expectNoFaults([
          ...historyFaults(scenario.site, history),
          ...advanceReservationFaults(history),
          ...runTimeFaults(history),
          ...unfinishedFaults(history),
        ]);
      }),
      { numRuns: runs(1000) },
    );
  });
});
