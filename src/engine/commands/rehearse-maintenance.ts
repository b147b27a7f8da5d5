import type { Instant, MaintenanceRecord } from '../../core/index.ts';
import type { Core } from '../core.ts';
import type { CommandKind } from './command.ts';
import { type PlannedDisplacement, promisedOn, refusalOf, rehearseDisplacement } from './displacement.ts';
import { type PlanMaintenanceInput, planMaintenance } from './plan-maintenance.ts';

/** Maximum number of later starts to try. The last one tried is after all promised places on the nodes. */
const maxTrials = 50;

/** Query: what maintenance would displace, and when it would break no promise. Changes nothing. */
export const rehearseMaintenance: CommandKind<PlanMaintenanceInput, PlannedDisplacement> = {
  parse: (input) => planMaintenance.parse(input),
  rows: () => 0,
  trials: maxTrials,
  apply: (core, now, { collisions, maintenance }) =>
    rehearseDisplacement(
      core,
      (rehearsed, wanted) => rehearsed.planMaintenance(now, maintenance, wanted),
      collisions,
      () => firstStart(core, now, maintenance),
    ),
  idempotency: null,
};

/** A later start can only help when a promised reservation on the nodes has ended by then. */
function firstStart(core: Core, now: Instant, maintenance: MaintenanceRecord): Instant | null {
  const { nodes, start, end } = maintenance;
  const ends = promisedOn(core, nodes).map(({ reservation }) => reservation.end);
  const starts = [...new Set(ends)].filter((at) => at > start).sort((a, b) => a - b);
  const isPossible = (at: Instant): boolean => {
    const later = { ...maintenance, start: at, end: at + (end - start) };
    return refusalOf(core, (rehearsed) => rehearsed.planMaintenance(now, later, 'REFUSE')) === null;
  };
  return [...starts.slice(0, maxTrials), ...starts.slice(maxTrials).slice(-1)].find(isPossible) ?? null;
}
