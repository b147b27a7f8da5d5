import { type Collisions, collisions, type MaintenanceRecord } from '../../core/index.ts';
import type { CommandKind } from './command.ts';
import { fieldsOf, isListOf, isOneOf, isWhole } from './shape.ts';

export interface PlanMaintenanceInput {
  readonly maintenance: MaintenanceRecord;
  /** What to do when leases would lose a promised place. */
  readonly collisions: Collisions;
}

export interface PlanMaintenanceResult {
  readonly name: string;
  /** Numbers of the leases that were moved, suspended or requeued, ascending. */
  readonly displaced: readonly number[];
}

/** Takes nodes out of use over an interval. The caller chooses a unique name. */
export const planMaintenance: CommandKind<PlanMaintenanceInput, PlanMaintenanceResult> = {
  parse: (input) => {
    const fields = fieldsOf(input);
    const maintenance = fieldsOf(fields?.maintenance);
    if (!fields || !maintenance || !isOneOf(collisions, fields.collisions)) return null;
    const { end, name, nodes, start } = maintenance;
    if (typeof name !== 'string' || !isListOf(isWhole, nodes) || !isWhole(start) || !isWhole(end)) return null;
    return { maintenance: { name, nodes, start, end }, collisions: fields.collisions };
  },
  rows: ({ maintenance }) => 100 * maintenance.nodes.length,
  apply: (core, now, { collisions, maintenance }) => ({
    name: maintenance.name,
    displaced: core.planMaintenance(now, maintenance, collisions).displaced,
  }),
  idempotency: {
    identity: (input) => ({ planMaintenance: input }),
    // The name is part of the input: a repeated command must carry the same name.
    number: () => 0,
    repeated: (_number, { maintenance: { name } }) => ({ name, displaced: [] }),
  },
};
