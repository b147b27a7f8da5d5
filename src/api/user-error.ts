import { CommandError } from '../engine/ports.ts';
import { builder } from './builder.ts';

/** What is wrong with a request that a client made, in words for people and a code for programs (docs/api.md). */
export interface UserError {
  readonly code: string;
  readonly message: string;
  /** Where in the arguments of the mutation the fault lies, outermost first. */
  readonly path: readonly string[] | null;
}

export const UserErrorType = builder.objectRef<UserError>('UserError').implement({
  description: 'Why a mutation was refused. It changed nothing.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'A stable code for programs; docs/api.md lists them.' }),
    message: t.exposeString('message', {
      description: 'A sentence for people: what was wrong, and what to do.',
    }),
    path: t.expose('path', {
      type: ['String'],
      nullable: true,
      description:
        'Where in the arguments the fault lies, outermost first, such as ["input", "machines", "0", "count"].',
    }),
  }),
});

export const userError = (code: string, message: string, ...path: readonly string[]): UserError => ({
  code,
  message,
  path: path.length > 0 ? path : null,
});

/** As resolvers throw it: GraphQL would take an error that has a `path` of its own for one that it has located already. */
export const unexpected = (error: unknown): unknown =>
  error instanceof Error && 'path' in error ? new Error(error.message, { cause: error }) : error;

/** A refused command as the client is told of it; anything else is thrown on. */
export function commandUserError(error: unknown): UserError {
  if (!(error instanceof CommandError) || error.code === 'INTERNAL') throw unexpected(error);
  return userError(error.code, error.message, ...(error.path.length > 0 ? ['input', ...error.path] : []));
}
