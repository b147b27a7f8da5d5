/** All kinds of commands. A new kind is one module and one line here. */
import { parseAuditNote } from '../audit-note.ts';
import { addNodes } from './add-nodes.ts';
import { availability } from './availability.ts';
import { cancel } from './cancel.ts';
import { cancelRecurrence } from './cancel-recurrence.ts';
import type { Command, CommandKind } from './command.ts';
import { createRecurrence } from './create-recurrence.ts';
import { discard } from './discard.ts';
import { dryRun } from './dry-run.ts';
import { dryRunUpdate } from './dry-run-update.ts';
import { end } from './end.ts';
import { endMaintenance } from './end-maintenance.ts';
import { hostFacts } from './host-facts.ts';
import { planMaintenance } from './plan-maintenance.ts';
import { quotas } from './quotas.ts';
import { recoverAction } from './recover-action.ts';
import { rehearsalOf } from './rehearsal.ts';
import { endingOf } from './rehearse-ending.ts';
import { rehearseMaintenance } from './rehearse-maintenance.ts';
import { rehearseNodeState } from './rehearse-node-state.ts';
import { rehearseRecurrence } from './rehearse-recurrence.ts';
import { rehearseRecurrenceUpdate } from './rehearse-recurrence-update.ts';
import { removeNode } from './remove-node.ts';
import { request } from './request.ts';
import { setNodeState } from './set-node-state.ts';
import { setQuotas } from './set-quotas.ts';
import { upcomingOccurrences } from './upcoming-occurrences.ts';
import { update } from './update.ts';
import { updateNode } from './update-node.ts';
import { updateRecurrence } from './update-recurrence.ts';
import { waiting } from './waiting.ts';

export const commandKinds = {
  request,
  update,
  end,
  cancel,
  discard,
  addNodes,
  updateNode,
  removeNode,
  setNodeState,
  planMaintenance,
  endMaintenance,
  createRecurrence,
  updateRecurrence,
  cancelRecurrence,
  recoverAction,
  setQuotas,
  quotas,
  dryRun,
  dryRunUpdate,
  rehearseMaintenance,
  rehearseNodeState,
  rehearseRecurrence,
  rehearseRecurrenceUpdate,
  rehearseEnd: endingOf(end),
  rehearseCancel: endingOf(cancel),
  rehearseCancelRecurrence: endingOf(cancelRecurrence),
  rehearseEndMaintenance: rehearsalOf(endMaintenance),
  rehearseAddNodes: rehearsalOf(addNodes),
  rehearseUpdateNode: rehearsalOf(updateNode),
  rehearseRemoveNode: rehearsalOf(removeNode),
  upcomingOccurrences,
  availability,
  waiting,
  hostFacts,
} as const satisfies Readonly<Record<string, CommandKind<unknown, unknown>>>;

export type CommandName = keyof typeof commandKinds;
type Parts<K extends CommandName> =
  (typeof commandKinds)[K] extends CommandKind<infer Input, infer Result>
    ? { readonly input: Input; readonly result: Result }
    : never;
export type CommandInput<K extends CommandName> = Parts<K>['input'];
export type CommandResult<K extends CommandName> = Parts<K>['result'];

/** Whether a command is a query that changes nothing. */
export function changesNothing<K extends CommandName>(kind: K, input: CommandInput<K>): boolean {
  return (commandKinds[kind] as CommandKind<unknown, unknown>).rows(input) === 0;
}

export function kindOf({ kind }: Command<CommandName>): CommandKind<unknown, unknown> {
  return commandKinds[kind];
}

/** Parses a forwarded command; null when it is not a command of this table. */
export function parseCommand(payload: unknown): Command<CommandName> | null {
  if (typeof payload !== 'object' || payload === null) return null;
  if (!('kind' in payload && 'principal' in payload && 'input' in payload)) return null;
  const { kind, principal } = payload;
  if (typeof kind !== 'string' || !Object.hasOwn(commandKinds, kind) || typeof principal !== 'string') return null;
  const idempotencyKey = 'idempotencyKey' in payload ? payload.idempotencyKey : null;
  if (idempotencyKey !== null && typeof idempotencyKey !== 'string') return null;
  const trace = 'trace' in payload && typeof payload.trace === 'string' ? payload.trace : undefined;
  const audit = 'audit' in payload ? parseAuditNote(payload.audit) : null;
  const name = kind as CommandName;
  const input: unknown = commandKinds[name].parse(payload.input);
  return input === null
    ? null
    : {
        kind: name,
        input,
        principal,
        idempotencyKey,
        ...(audit && { audit }),
        ...(trace !== undefined && { trace }),
      };
}
