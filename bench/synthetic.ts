import type { SiteSpec } from '../src/core/index.ts';
import type { TraceLease, Workload } from '../src/simulation/workload.ts';

/** A small generator of equal sequences for equal seeds (mulberry32). */
export const randomNumbers = (seed: number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

export const uniformSite = (nodes: number): SiteSpec => ({
  resourceTypes: ['CPU', 'Memory'],
  nodes: Array.from({ length: nodes }, (_, index) => ({
    number: index + 1,
    hostname: `n${index + 1}`,
    capacity: { CPU: 100, Memory: 1024 },
  })),
});

/**
 * Best-effort leases that arrive evenly and ask, on average, for `load` of the site: widths from 1 to a quarter of it, mostly small; 10 minutes to 8
 * hours long; a third end early.
 */
export const syntheticWorkload = (count: number, nodes: number, load: number, seed = 1): Workload => {
  const random = randomNumbers(seed);
  const leases: TraceLease[] = [];
  let arrival = 0;
  for (let id = 1; id <= count; id += 1) {
    const width = Math.max(1, Math.floor(2 ** (random() * Math.log2(nodes / 4))));
    const seconds = 600 + Math.floor(random() ** 3 * 8 * 3600);
    const early = random() < 1 / 3;
    leases.push({
      id,
      type: 'BEST_EFFORT',
      arrival: Math.floor(arrival) * 1000,
      machines: new Array(width).fill(machine),
      duration: seconds * 1000,
      knownDuration: early ? Math.max(1, Math.floor(seconds * random())) * 1000 : null,
      start: null,
      preemptible: true,
      image: null,
      user: null,
    });
    arrival += (width * seconds) / (nodes * load);
  }
  return {
    name: `synthetic ${count} on ${nodes}`,
    description: null,
    site: uniformSite(nodes),
    leases,
    attributes: {},
  };
};

const machine = { CPU: 100, Memory: 1024 };
