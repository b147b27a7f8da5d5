import type { CommandKind } from './command.ts';
import { type PlannedDisplacement, promisedOn, rehearseDisplacement } from './displacement.ts';
import { type SetNodeStateInput, setNodeState } from './set-node-state.ts';

/**
 * Query: what a node state would displace. A draining node keeps its running leases, so the alternative is the instant
 * at which the last lease that would lose its place has started. Changes nothing.
 */
export const rehearseNodeState: CommandKind<SetNodeStateInput, PlannedDisplacement> = {
  parse: (input) => setNodeState.parse(input),
  rows: () => 0,
  apply: (core, now, { collisions, node, state }) =>
    rehearseDisplacement(
      core,
      (rehearsed, wanted) => rehearsed.setNodeState(now, node, state, wanted),
      collisions,
      (losing) => {
        const planned = promisedOn(core, [node]).filter(
          ({ lease, reservation }) => reservation.kind === 'VM' && losing.includes(lease.id),
        );
        return planned.reduce((last, { reservation }) => Math.max(last, reservation.start), now);
      },
    ),
  idempotency: null,
};
