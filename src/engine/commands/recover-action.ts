import { type Recovery, recoveries } from '../hosts/recovery.ts';
import { CommandError } from './answer.ts';
import type { CommandKind } from './command.ts';

export interface RecoverActionInput {
  readonly actionId: number;
  /**
   * RETRY: the hosts are called again at once. ASSUME_SUCCESS, ASSUME_FAILURE: the action ends so, and hosts are no
   * longer called for it. The outcome is recorded with a turn after the answer.
   */
  readonly recovery: Recovery;
}

export interface RecoverActionResult {
  readonly actionId: number;
}

/** An operator decides about an action that is stuck. */
export const recoverAction: CommandKind<RecoverActionInput, RecoverActionResult> = {
  parse: (input) => {
    if (typeof input !== 'object' || input === null || !('actionId' in input && 'recovery' in input))
      return null;
    const { actionId } = input;
    const recovery = recoveries.find((each) => each === input.recovery);
    return recovery && typeof actionId === 'number' && Number.isSafeInteger(actionId)
      ? { actionId, recovery }
      : null;
  },
  rows: () => 1,
  apply: (_core, _now, { actionId, recovery }, { hosts }) => {
    if (hosts.recover(actionId, recovery)) return { actionId };
    throw new CommandError(
      'ACTION_NOT_OPEN',
      `There is no action ${actionId} that is unfinished. Only an action in the state PENDING can be recovered.`,
      ['id'],
    );
  },
  idempotency: null,
};
