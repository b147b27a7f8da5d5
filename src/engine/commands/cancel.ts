import type { CommandKind } from './command.ts';

export interface CancelInput {
  readonly leaseNumber: number;
}

export const cancel: CommandKind<CancelInput, CancelInput> = {
  parse: (input) =>
    typeof input === 'object' &&
    input !== null &&
    'leaseNumber' in input &&
    Number.isSafeInteger(input.leaseNumber)
      ? { leaseNumber: input.leaseNumber as number }
      : null,
  rows: () => 1,
  apply: (core, now, { leaseNumber }) => {
    core.cancel(now, leaseNumber);
    return { leaseNumber };
  },
  idempotency: null,
};
