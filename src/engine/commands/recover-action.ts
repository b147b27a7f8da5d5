import { type Recovery, recoveries } from '../hosts/recovery.ts';
import { CommandError } from './answer.ts';
import type { CommandKind } from './command.ts';

export interface RecoverActionInput {
  readonly actionId: number;
  /**
   * RETRY calls the hosts again at once. ASSUME_SUCCESS and ASSUME_FAILURE end the action with that outcome, without
   * further calls to hosts; a DESTROY cannot be assumed to have failed. The outcome is recorded by a turn after the
   * answer.
   */
  readonly recovery: Recovery;
}

export interface RecoverActionResult {
  readonly actionId: number;
}

/** Resolves a stuck action by an operator's decision. */
export const recoverAction: CommandKind<RecoverActionInput, RecoverActionResult> = {
  parse: (input) => {
    if (typeof input !== 'object' || input === null || !('actionId' in input && 'recovery' in input)) return null;
    const { actionId } = input;
    const recovery = recoveries.find((each) => each === input.recovery);
    return recovery && typeof actionId === 'number' && Number.isSafeInteger(actionId) ? { actionId, recovery } : null;
  },
  rows: () => 1,
  apply: (_core, _now, { actionId, recovery }, { hosts }) => {
    const outcome = hosts.recover(actionId, recovery);
    if (outcome === 'RECOVERED') return { actionId };
    if (outcome === 'REMOVAL') {
      throw new CommandError(
        'INVALID_REQUEST',
        `Action ${actionId} removes machines, and is repeated until they are gone: it cannot be assumed to have failed. When they are known to be gone, ASSUME_SUCCESS ends it.`,
        ['recovery'],
      );
    }
    throw new CommandError(
      'ACTION_NOT_OPEN',
      `There is no action ${actionId} that is unfinished. Only an action in the state PENDING can be recovered.`,
      ['id'],
    );
  },
  idempotency: null,
};
