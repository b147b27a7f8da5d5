/** The scheduler core as the engine uses it. */
import { type Policies, Scheduler, type SchedulerConfig, type SiteSpec, type Snapshot } from '../core/index.ts';

/** The scheduler interface; tests wrap it. */
export type Core = Pick<Scheduler, keyof Scheduler>;

/** Builds the core from stored state. */
export type RestoreCore = (site: SiteSpec, config: SchedulerConfig, snapshot: Snapshot) => Core;

/** The scheduler with custom policies besides the built-in ones. */
export function schedulerWith(policies?: Partial<Policies>): RestoreCore {
  return (site, config, snapshot) => Scheduler.restore(site, config, snapshot, { policies, reevaluation: 'in-pass' });
}
