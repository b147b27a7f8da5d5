/** Shared code of the commands that add, change and remove nodes. */
import { type Amounts, SchedulerError } from '../../core/index.ts';
import type { Core } from '../core.ts';
import { CommandError } from './answer.ts';
import { fieldsOf, isListOf, isWhole } from './shape.ts';

export function isAmounts(value: unknown): value is Amounts {
  const fields = fieldsOf(value);
  return fields !== null && Object.values(fields).every((quantity) => isWhole(quantity) || isListOf(isWhole, quantity));
}

export function isLabels(value: unknown): value is Readonly<Record<string, string>> {
  const fields = fieldsOf(value);
  return fields !== null && Object.values(fields).every((text) => typeof text === 'string');
}

/** Throws CommandError NODE_NOT_FOUND, also for a removed node. */
export function requireNode(core: Core, number: number): void {
  const node = core.site.nodes[number - 1];
  if (node !== undefined && Object.keys(node.capacity).length > 0) return;
  throw new CommandError('NODE_NOT_FOUND', `Node ${number} does not exist.`);
}

/** An invalid resulting site is an error of the command. */
export function asRequestError<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SchedulerError) || error.code !== 'INVALID_SITE') throw error;
    throw new CommandError('INVALID_REQUEST', `The site would not be valid: ${error.message}.`);
  }
}
