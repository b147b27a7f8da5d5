/** Commands on their way to the core: what is asked, and who waits for the answer. */
import { createHash } from 'node:crypto';
import { type LeaseRequest, SchedulerError } from '../core/index.ts';
import { canonicalJson } from './canonical-json.ts';
import { CommandError } from './ports.ts';

export type CommandInput =
  | {
      readonly kind: 'request';
      readonly request: LeaseRequest;
      readonly principal: string;
      readonly idempotencyKey: string | null;
    }
  | { readonly kind: 'cancel'; readonly leaseNumber: number; readonly principal: string };

export type Answer =
  | { readonly leaseNumber: number }
  | {
      readonly error: {
        readonly code: CommandError['code'];
        readonly message: string;
        readonly path: readonly string[];
        readonly retryable: boolean;
      };
    };

export interface Command {
  readonly input: CommandInput;
  /** Where the answer goes: a caller in this process, or by this id through the database. */
  readonly replyTo: { readonly forwarded: string } | { readonly settle: (answer: Answer) => void };
}

/** A command of this process, and the promise of its answer. Rejects with CommandError. */
export const localCommand = (input: CommandInput): { command: Command; answered: Promise<number> } => {
  let settle: (answer: Answer) => void = () => {};
  const answered = new Promise<number>((resolve, reject) => {
    settle = (answer) => {
      if ('error' in answer) reject(errorOf(answer.error));
      else resolve(answer.leaseNumber);
    };
  });
  return { command: { input, replyTo: { settle } }, answered };
};

export const errorOf = (error: Extract<Answer, { error: unknown }>['error']): CommandError =>
  new CommandError(error.code, error.message, error.path, error.retryable);

export const refusal = (
  code: CommandError['code'],
  message: string,
  options: { path?: readonly string[]; retryable?: boolean } = {},
): Answer => ({ error: { code, message, path: options.path ?? [], retryable: options.retryable ?? false } });

/** What a caller is told about an error of the core; null for one that is not meant for callers. */
export const refusalOf = (error: unknown): Answer | null =>
  error instanceof SchedulerError && error.code !== 'INTERNAL' && error.code !== 'LEASE_FAILURE'
    ? refusal(error.code, error.message, { path: error.path })
    : null;

/** What went wrong is for the log. */
export const internalRefusal = refusal(
  'INTERNAL',
  'The scheduler could not carry out this command. It changed nothing; the log of the server says why.',
);

export const unavailable = (why: string): Answer =>
  refusal('UNAVAILABLE', `${why} Try again; with an idempotency key nothing is done twice.`, {
    retryable: true,
  });

/** Identifies the input of a request, whatever the order in which its fields were written. */
export const inputHash = (request: LeaseRequest): string =>
  createHash('sha256').update(canonicalJson(request)).digest('hex');

/** The key under which a request with an idempotency key is remembered. */
export const idempotencyId = (principal: string, key: string): string => JSON.stringify([principal, key]);

/** What came through the database, checked for its shape; null when it is none. (Only servers of this project write it.) */
export const forwardedInput = (payload: unknown): CommandInput | null => {
  if (typeof payload !== 'object' || payload === null || !('kind' in payload) || !('principal' in payload))
    return null;
  if (typeof payload.principal !== 'string') return null;
  if (payload.kind === 'cancel') {
    return 'leaseNumber' in payload && Number.isSafeInteger(payload.leaseNumber)
      ? (payload as CommandInput)
      : null;
  }
  if (payload.kind !== 'request' || !('request' in payload) || !isRequest(payload.request)) return null;
  const key = 'idempotencyKey' in payload ? payload.idempotencyKey : null;
  return key === null || typeof key === 'string'
    ? ({ ...payload, idempotencyKey: key } as CommandInput)
    : null;
};

const isRequest = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  'machines' in value &&
  Array.isArray(value.machines) &&
  'type' in value;

/** An answer that came back through the database. */
export const isAnswer = (value: unknown): value is Answer => {
  if (typeof value !== 'object' || value === null) return false;
  if ('leaseNumber' in value) return typeof value.leaseNumber === 'number';
  return 'error' in value && typeof value.error === 'object' && value.error !== null && 'code' in value.error;
};

/** Commands that wait for a turn, first come first served, up to a limit. */
export class CommandQueue {
  private commands: Command[] = [];

  constructor(private readonly limit: number) {}

  get length(): number {
    return this.commands.length;
  }

  /** False when too many wait already. */
  add(command: Command): boolean {
    if (this.commands.length >= this.limit) return false;
    this.commands.push(command);
    return true;
  }

  /** The oldest `most` of them, and of so many machines together, but one at least. */
  take(most: number, mostMachines = Number.POSITIVE_INFINITY): Command[] {
    const count = fitting(this.commands, mostMachines, most);
    if (count < this.commands.length) return this.commands.splice(0, count);
    const all = this.commands;
    this.commands = [];
    return all;
  }

  /** Puts commands back in front of all others. */
  putBack(commands: readonly Command[]): void {
    this.commands = [...commands, ...this.commands];
  }
}

/** How many of the commands, in their order, ask for no more than so many machines together, each a row to be written; one at least. */
export const fitting = (
  commands: readonly Command[],
  mostMachines: number,
  most = commands.length,
): number => {
  let machines = 0;
  for (let count = 0; count < Math.min(most, commands.length); count += 1) {
    const input = commands[count]?.input;
    if (input?.kind === 'request') machines += input.request.machines.length;
    if (count > 0 && machines > mostMachines) return count;
  }
  return Math.min(most, commands.length);
};

/** Answers a caller of this process. (Answers through the database are written with a commit.) */
export const settle = (command: Command, answer: Answer): void => {
  if ('settle' in command.replyTo) command.replyTo.settle(answer);
};
