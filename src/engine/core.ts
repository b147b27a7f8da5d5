/** The scheduler core as the engine uses it. */
import {
  type Policies,
  Scheduler,
  type SchedulerConfig,
  type SiteSpec,
  type Snapshot,
} from '../core/index.ts';

/** What the scheduler offers; tests put something of their own between it and the engine. */
export type Core = Pick<Scheduler, keyof Scheduler>;

/** Builds the core from the stored state, unchanged. */
export type RestoreCore = (site: SiteSpec, config: SchedulerConfig, snapshot: Snapshot) => Core;

/** The scheduler, with policies beside the built-in ones. */
export function schedulerWith(policies?: Partial<Policies>): RestoreCore {
  return (site, config, snapshot) =>
    Scheduler.restore(site, config, snapshot, { policies, reevaluation: 'in-pass' });
}
