/** Idempotency keys: the same key with the same input leads to the same answer. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../canonical-json.ts';
import { type Answer, refusal } from './answer.ts';
import type { Command } from './command.ts';
import { type CommandName, kindOf } from './table.ts';

export interface IdempotencyRecord {
  readonly principal: string;
  readonly key: string;
  readonly inputHash: string;
  /** Of the lease, or of what else the command made. */
  readonly number: number;
}

type Key = Pick<IdempotencyRecord, 'principal' | 'key'>;

/** The key under which the answer to a command is remembered; null when it is not. */
export function keyOf(command: Command<CommandName>): Key | null {
  const { idempotencyKey: key, principal } = command;
  return key === null || kindOf(command).idempotency === null ? null : { principal, key };
}

/** The answers that were given under idempotency keys: those of the store, and those of the turn. */
export class RememberedAnswers {
  private readonly records = new Map<string, IdempotencyRecord>();
  /** Those of the turn, to be kept with the commit. */
  readonly added: IdempotencyRecord[] = [];

  constructor(known: readonly IdempotencyRecord[]) {
    for (const record of known) this.records.set(idOf(record), record);
  }

  /** The answer to a repetition; null when the command's key is new, or there is none. */
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
    if (!key || !idempotency) return;
    const number = idempotency.number(result);
    const record: IdempotencyRecord = { ...key, inputHash: inputHash(command), number };
    this.records.set(idOf(record), record);
    this.added.push(record);
  }
}

/** A key belongs to its principal: the same key of another one is another key. */
function idOf({ principal, key }: Key): string {
  return JSON.stringify([principal, key]);
}

/** Identifies an input, whatever the order in which its fields were written. */
function inputHash(command: Command<CommandName>): string {
  const identity = kindOf(command).idempotency?.identity(command.input);
  return createHash('sha256').update(canonicalJson(identity)).digest('hex');
}
