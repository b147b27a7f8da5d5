import type { HostControl } from '../../src/engine/commands/command.ts';

/** The hosts of commands that have nothing to do with them. */
export const absentHosts: HostControl = {
  recover: () => 'NOT_OPEN',
  factsOf: (node) => ({
    ...{ node, answeredAt: null, failures: 0, unreachableSince: null, error: null },
    ...{ unremoved: [], strays: [] },
  }),
};
