import { CliError } from '../terminal.ts';

export const keyHelp = 'idempotency key: repeating the command with its key carries it out once';

/** The field of an input. */
export function keyInput(key: string | undefined): { readonly idempotencyKey?: string } {
  return key === undefined ? {} : { idempotencyKey: key };
}

/** A command that prints a secret was repeated with its key. It fails: scripts would go on without a secret. */
export function secretNotShown(what: string, key: string | undefined): CliError {
  return new CliError(
    key === undefined
      ? 'the server answered without a secret'
      : `the ${what} was created by an earlier command with the key "${key}"; its secret is not shown again`,
  );
}
