import type { Collisions, Millis, NodeState } from '../core/index.ts';
import { TraceError } from './errors.ts';
import type { TraceLease } from './workload.ts';

interface At {
  /** From the start of the run. */
  readonly at: Millis;
  /** Where it stands in its file. */
  readonly line: number;
}

/** A change while the run goes on. Times count from the start of the run. */
export type Command = At &
  (
    | { readonly kind: 'cancel'; readonly lease: number }
    | {
        readonly kind: 'update';
        readonly lease: number;
        readonly terms: { readonly start?: Millis; readonly duration?: Millis; readonly deadline?: Millis };
        readonly asFarAsPossible: boolean;
      }
    | {
        readonly kind: 'node';
        readonly node: number;
        readonly set: NodeState;
        readonly collisions: Collisions;
      }
    | {
        readonly kind: 'maintenance';
        readonly name: string;
        readonly nodes: readonly number[];
        readonly start: Millis;
        readonly end: Millis;
        readonly collisions: Collisions;
      }
    | { readonly kind: 'endMaintenance'; readonly name: string }
  );

export type CommandKind = Command['kind'];

/** Refuses updates of what leases of their type do not have. Throws TraceError. */
export function checkCommands(file: string, commands: readonly Command[], leases: readonly TraceLease[]): void {
  const types = new Map(leases.map(({ id, type }) => [id, type]));
  for (const command of commands) {
    if (command.kind !== 'update') continue;
    const type = types.get(command.lease);
    if (type === undefined) continue;
    const { start, deadline } = command.terms;
    const wrong =
      start !== undefined && type !== 'ADVANCE_RESERVATION' && type !== 'DEADLINE'
        ? 'start'
        : deadline !== undefined && type !== 'DEADLINE'
          ? 'deadline'
          : null;
    if (wrong === null) continue;
    throw new TraceError(
      'INVALID_VALUE',
      file,
      command.line,
      `lease ${command.lease} is of type ${type} and has no ${wrong}, expected none in its update`,
    );
  }
}
