import type { CommandKind } from './command.ts';
import { fieldsOf } from './shape.ts';

export interface EndMaintenanceInput {
  readonly name: string;
}

/** Ends maintenance early, also before it has begun. */
export const endMaintenance: CommandKind<EndMaintenanceInput, EndMaintenanceInput> = {
  parse: (input) => {
    const name = fieldsOf(input)?.name;
    return typeof name === 'string' ? { name } : null;
  },
  rows: () => 10,
  apply: (core, now, { name }) => {
    core.endMaintenance(now, name);
    return { name };
  },
  idempotency: null,
};
