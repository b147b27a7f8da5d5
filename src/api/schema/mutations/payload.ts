/** How mutations answer: a payload with the result, or with `userErrors`. */
import { GraphQLError } from 'graphql';
import { CommandError } from '../../../engine/ports.ts';
import { type ApiContext, readAgain } from '../../context.ts';
import { numberOf } from '../../global-id.ts';
import { builder, type FieldsOf } from '../builder.ts';

/** A fault of a request: a sentence for people and a code for programs (docs/api.md). */
export interface UserError {
  readonly code: string;
  readonly message: string;
  /** The part of the mutation's arguments at fault, outermost first. */
  readonly path: readonly string[] | null;
}

export function userError(code: string, message: string, ...path: readonly string[]): UserError {
  return { code, message, path: path.length > 0 ? path : null };
}

/** A request that is refused for these reasons. */
export class Refused extends Error {
  override readonly name = 'Refused';

  constructor(readonly userErrors: readonly UserError[]) {
    super(userErrors[0]?.message);
  }
}

/** What a mutation returned, or why it was refused. */
export interface Payload<Result> {
  readonly result: Result | null;
  readonly userErrors: readonly UserError[];
}

const UserErrorType = builder.objectRef<UserError>('UserError').implement({
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
        'The part of the arguments at fault, outermost first, such as ["input", "machines", "0", "count"].',
    }),
  }),
});

/** The object type of a payload: the fields of its result, and `userErrors`. */
export function payloadType<Result>(
  name: string,
  description: string,
  fields: (t: FieldsOf<Payload<Result>>) => ReturnType<Parameters<typeof builder.objectFields>[1]>,
) {
  return builder.objectRef<Payload<Result>>(name).implement({
    description,
    fields: (t) => ({
      ...fields(t as never),
      userErrors: t.field({
        type: [UserErrorType],
        description: 'Why the mutation was refused; empty if it was carried out.',
        resolve: ({ userErrors }) => userErrors,
      }),
    }),
  });
}

/**
 * Carries a mutation out and makes its payload. `subject` is the path of the argument at fault when the engine names none.
 * Whatever is not a refusal is thrown on.
 */
export async function payload<Result>(
  context: ApiContext,
  carryOut: () => Promise<Result>,
  ...subject: readonly string[]
): Promise<Payload<Result>> {
  try {
    const result = await carryOut();
    readAgain(context);
    return { result, userErrors: [] };
  } catch (error) {
    return { result: null, userErrors: userErrorsOf(error, subject) };
  }
}

function userErrorsOf(error: unknown, subject: readonly string[]): readonly UserError[] {
  if (error instanceof Refused) return error.userErrors;
  if (!(error instanceof CommandError) || error.code === 'INTERNAL') throw unexpected(error);
  const path = error.path.length > 0 ? ['input', ...error.path] : subject;
  return [userError(error.code, error.message, ...path)];
}

/** As resolvers throw it: GraphQL takes an error with a `path` for one that it has located already. */
export function unexpected(error: unknown): unknown {
  return error instanceof Error && 'path' in error ? new Error(error.message, { cause: error }) : error;
}

/** The number of the lease that an argument names by its global id. Throws Refused. */
export function leaseNumberAt(id: string, ...path: readonly string[]): number {
  try {
    return numberOf('Lease', id);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    throw new Refused([userError('INVALID_ID', error.message, ...path)]);
  }
}
