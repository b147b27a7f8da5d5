import type { HostControl } from '../../src/engine/commands/command.ts';
import type { HostFacts } from '../../src/engine/ports.ts';

/** Of a host of which nothing is known. */
export const absentHost = (node: number): HostFacts => ({
  ...{ node, answeredAt: null, failures: 0, unreachableSince: null, error: null },
  ...{ unremoved: [], strays: [] },
});

/** The hosts of commands that have nothing to do with them. */
export const absentHosts: HostControl = {
  recover: () => 'NOT_OPEN',
  factsOf: (nodes) => nodes.map(absentHost),
};
