import { cancel } from './cancel.ts';
import type { CommandKind } from './command.ts';

export interface EndInput {
  readonly leaseNumber: number;
}

/** The machines of a running lease are no longer needed, or ended by themselves: it is DONE now. */
export const end: CommandKind<EndInput, EndInput> = {
  parse: cancel.parse,
  rows: () => 1,
  apply: (core, now, { leaseNumber }) => {
    core.vmEnded(now, leaseNumber);
    return { leaseNumber };
  },
  idempotency: null,
};
