/** Idempotency keys of mutations outside the engine. */
import type { Keyed, RecordWithin } from '../../../identity/index.ts';
import type { ApiContext } from '../../context.ts';
import { Refused, refuse } from './payload.ts';
import { textErrors } from './request-errors.ts';

/** Not `idempotencyKey`, which is the name of the field. */
export function keyDescription(made: string): string {
  return `Repeating a request with its key returns the same ${made}; the key with another input is an error.`;
}

/** Validates a key or name that PostgreSQL must store. Throws Refused. */
export function checkTexts(texts: Readonly<Record<string, string | null | undefined>>): void {
  const errors = Object.entries(texts).flatMap(([name, text]) => textErrors(text, 'input', name));
  if (errors.length > 0) throw new Refused(errors);
}

export interface Once<Made> {
  /** Null if an earlier request with the key created it. */
  readonly made: Made | null;
  readonly number: number;
}

/**
 * Creates an object once per idempotency key. `make` calls the given function in its transaction, so that key and
 * object are stored atomically. Throws Refused with IDEMPOTENCY_CONFLICT, and the errors of `make`.
 */
export async function once<Made extends { readonly number: number }>(
  { audit, principal, services }: ApiContext,
  mutation: string,
  input: { readonly idempotencyKey?: string | null | undefined },
  make: (within: RecordWithin) => Promise<Made>,
): Promise<Once<Made>> {
  const { keys } = services.identity;
  const key = input.idempotencyKey ?? null;
  checkTexts({ idempotencyKey: key });
  const keyed = key === null ? null : { principal: principal.name, key, request: [mutation, input] };
  const earlier = keyed && (await numberUnder(keyed));
  if (earlier !== null) return { made: null, number: earlier };
  try {
    const made = await make(async (transaction, number) => {
      if (keyed) await keys.within(transaction, keyed, number);
      await audit?.within(transaction, number);
    });
    return { made, number: made.number };
  } catch (error) {
    // The same request may have succeeded meanwhile.
    const meanwhile = keyed && (await numberUnder(keyed, error));
    if (meanwhile === null) throw error;
    return { made: null, number: meanwhile };
  }

  /** `failure` is thrown instead of an error of the database. */
  async function numberUnder(wanted: Keyed, failure?: unknown): Promise<number | null> {
    const known = await keys.find(wanted).catch((error: unknown) => {
      throw failure ?? error;
    });
    if (known !== 'used for another request') return known?.number ?? null;
    return refuse(
      'IDEMPOTENCY_CONFLICT',
      `The idempotency key "${wanted.key}" was used before with another input. Use a new key for a new request.`,
      'input',
      'idempotencyKey',
    );
  }
}
