import type { Millis } from '../../../core/index.ts';
import { readable } from '../../read/sentences.ts';
import { builder } from '../builder.ts';
import { isRetryable, type UserErrorCode, userErrorCodes } from './codes.ts';

/** An error of a request. */
export interface UserError {
  readonly code: UserErrorCode;
  readonly message: string;
  /** Path of the invalid argument, outermost first. */
  readonly path: readonly string[] | null;
  /** What the engine says of this refusal; without it, the code decides. */
  readonly retryable?: boolean;
}

export function userError(code: UserErrorCode, message: string, ...path: readonly string[]): UserError {
  return { code, message, path: path.length > 0 ? path : null };
}

function mayBeRepeated({ code, retryable = isRetryable(code) }: UserError): boolean {
  return retryable;
}

/** Milliseconds to wait before repeating a retryable request. */
const retryAfter: Millis = 1_000;

const UserErrorReason = builder.enumType('UserErrorReason', {
  description: 'Every code of a user error.',
  values: userErrorCodes as { readonly [Code in UserErrorCode]: { readonly description: string } },
});

export const UserErrorType = builder.objectRef<UserError>('UserError').implement({
  description: 'Why a mutation was refused. It changed nothing.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'The value of `reason` as a string.' }),
    reason: t.field({
      type: UserErrorReason,
      description: 'A stable code for programs.',
      resolve: ({ code }) => code,
    }),
    message: t.string({
      description: 'A sentence for people: what was wrong, and what to do.',
      resolve: ({ message }, _args, { read }) => readable(message, read),
    }),
    path: t.expose('path', {
      type: ['String'],
      nullable: true,
      description: 'The part of the arguments at fault, outermost first, such as ["input", "machines", "0", "count"].',
    }),
    retryable: t.boolean({
      description: 'Whether the same request may succeed later.',
      resolve: mayBeRepeated,
    }),
    retryAfter: t.field({
      type: 'Duration',
      nullable: true,
      description: 'How long to wait before the request is repeated. Null if it is not retryable.',
      resolve: (error) => (mayBeRepeated(error) ? retryAfter : null),
    }),
  }),
});
