import { type Collisions, collisions, type MaintenanceRecord } from '../../core/index.ts';
import type { CommandKind } from './command.ts';
import { fieldsOf, isListOf, isOneOf, isWhole } from './shape.ts';

export interface PlanMaintenanceInput {
  readonly maintenance: MaintenanceRecord;
  /** What is done when leases would lose a place that they were promised. */
  readonly collisions: Collisions;
}

export interface PlanMaintenanceResult {
  readonly name: string;
  /** Leases that were moved, suspended or requeued for it: numbers, ascending. */
  readonly displaced: readonly number[];
}

/** Nodes are not used over an interval. The caller chooses a name that no other maintenance has. */
export const planMaintenance: CommandKind<PlanMaintenanceInput, PlanMaintenanceResult> = {
  parse: (input) => {
    const fields = fieldsOf(input);
    const maintenance = fieldsOf(fields?.maintenance);
    if (!fields || !maintenance || !isOneOf(collisions, fields.collisions)) return null;
    const { end, name, nodes, start } = maintenance;
    if (typeof name !== 'string' || !isListOf(isWhole, nodes) || !isWhole(start) || !isWhole(end))
      return null;
    return { maintenance: { name, nodes, start, end }, collisions: fields.collisions };
  },
  rows: ({ maintenance }) => 100 * maintenance.nodes.length,
  apply: (core, now, { collisions, maintenance }) => ({
    name: maintenance.name,
    displaced: core.planMaintenance(now, maintenance, collisions).displaced,
  }),
  idempotency: {
    identity: (input) => ({ planMaintenance: input }),
    // The name is the caller's: it has to be the same each time.
    number: () => 0,
    repeated: (_number, { maintenance: { name } }) => ({ name, displaced: [] }),
  },
};
