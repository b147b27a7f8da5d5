import type { SimulationObserver } from '../observer.ts';
import { type ProbeName, probes } from './probes.ts';
import { type AccountingData, Recorder } from './recorder.ts';

export interface Accounting {
  /** To be passed to the run. */
  readonly observers: readonly SimulationObserver[];
  /** What was recorded, once the run has ended. */
  data(): AccountingData;
}

/** Sets up the probes of a run. */
export function createAccounting(
  names: readonly ProbeName[],
  attributes: Readonly<Record<string, string>> = {},
): Accounting {
  const recorder = new Recorder();
  const chosen = [...new Set(names)].map((name) => probes[name](recorder));
  return {
    // The counters start before the first probe sees anything and are closed before the last one looks at them.
    observers: [{ onStart: (at) => recorder.start(at), onEnd: (at) => recorder.stop(at) }, ...chosen],
    data: () => recorder.data(attributes),
  };
}
