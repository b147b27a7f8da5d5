import type { SimulationObserver } from '../observer.ts';
import { type ProbeName, probes } from './probes.ts';
import { type AccountingData, Recorder } from './recorder.ts';

export interface Accounting {
  /** To be passed to the run. */
  readonly observers: readonly SimulationObserver[];
  /** The recorded data, after the end of the run. */
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
    // Counters start before the first probe is called and are closed before the last one reads them.
    observers: [{ onStart: (at) => recorder.start(at), onEnd: (at) => recorder.stop(at) }, ...chosen],
    data: () => recorder.data(attributes),
  };
}
