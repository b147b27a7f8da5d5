/** Idempotency keys: the same key with the same input gives the same answer. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../canonical-json.ts';
import { type Answer, refusal } from './answer.ts';
import type { Command } from './command.ts';
import { type CommandName, kindOf } from './table.ts';

export interface IdempotencyRecord {
  readonly principal: string;
  readonly key: string;
  readonly inputHash: string;
  /** Number of the lease or other object that the command created. */
  readonly number: number;
}

type Key = Pick<IdempotencyRecord, 'principal' | 'key'>;

/** The key that identifies the stored answer; null if the command has none. */
export function keyOf(command: Command<CommandName>): Key | null {
  const { idempotencyKey: key, principal } = command;
  return key === null || kindOf(command).idempotency === null ? null : { principal, key };
}

/** Answers by idempotency key: those in the store and those of the current turn. */
export class RememberedAnswers {
  private readonly records = new Map<string, IdempotencyRecord>();
  /** Answers of the turn, to be written with the commit. */
  readonly added: IdempotencyRecord[] = [];

  constructor(known: readonly IdempotencyRecord[]) {
    for (const record of known) this.records.set(idOf(record), record);
  }

  /** The stored answer to a repeated command; null when the key is new or absent. */
  answerTo(command: Command<CommandName>): Answer | null {
    const key = keyOf(command);
    const { idempotency } = kindOf(command);
    const earlier = key && this.records.get(idOf(key));
    if (!earlier || !idempotency) return null;
    if (earlier.inputHash === inputHash(command))
      return { result: idempotency.repeated(earlier.number, command.input) };
    return refusal(
      'IDEMPOTENCY_CONFLICT',
      `The idempotency key "${earlier.key}" was used before with another input. Use a new key for a new request.`,
      { path: ['idempotencyKey'] },
    );
  }

  remember(command: Command<CommandName>, result: unknown): void {
    const key = keyOf(command);
    const { idempotency } = kindOf(command);
    if (!key || !idempotency || idempotency.isLookup) return;
    const number = idempotency.number(result);
    const record: IdempotencyRecord = { ...key, inputHash: inputHash(command), number };
    this.records.set(idOf(record), record);
    this.added.push(record);
  }
}

/** Keys are scoped to a principal. */
function idOf({ principal, key }: Key): string {
  return JSON.stringify([principal, key]);
}

/** Identifies an input independently of the order of its fields. */
function inputHash(command: Command<CommandName>): string {
  const identity = kindOf(command).idempotency?.identity(command.input);
  return createHash('sha256').update(canonicalJson(identity)).digest('hex');
}
