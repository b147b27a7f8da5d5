import { siteOption } from '../../src/config/index.ts';
import { defaultSchedulerConfig } from '../../src/core/index.ts';
import { noOverheads } from '../../src/simulation/overheads.ts';
import type { SimulationConfig, TraceLease, Workload } from '../../src/simulation/workload.ts';

type Draft = Pick<TraceLease, 'type' | 'arrival' | 'duration'> & Partial<TraceLease>;

/** A workload out of the parts that matter; times in seconds. Each lease has one machine that fills a node. */
export function workloadOf(drafts: readonly Draft[], site: string): Workload {
  const inMillis = (value: number | null | undefined) => (value == null ? null : value * 1000);
  return {
    name: 'small',
    description: null,
    site: siteOption(site),
    attributes: {},
    leases: drafts.map((draft, index) => ({
      id: index + 1,
      machines: [{ CPU: 100, Memory: 512 }],
      preemptible: draft.type === 'BEST_EFFORT',
      image: null,
      user: null,
      ...draft,
      arrival: draft.arrival * 1000,
      duration: draft.duration * 1000,
      knownDuration: inMillis(draft.knownDuration),
      start: inMillis(draft.start),
      deadline: inMillis(draft.deadline),
    })),
  };
}

export function configOf(workload: Workload, changes: Partial<SimulationConfig> = {}): SimulationConfig {
  return {
    scheduler: defaultSchedulerConfig,
    startTime: Date.UTC(2006, 10, 25, 13),
    site: workload.site,
    stopWhen: 'all-leases-done',
    overheads: noOverheads,
    overrideMemory: null,
    probes: [],
    attributes: {},
    ...changes,
  };
}
