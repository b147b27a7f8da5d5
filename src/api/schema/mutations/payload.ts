/** Mutation payloads: the result, or `userErrors`. */
import { GraphQLError } from 'graphql';
import { CommandError } from '../../../engine/ports.ts';
import { type ApiContext, readAgain } from '../../context.ts';
import { type NodeTypeName, numberOf } from '../../global-id.ts';
import { builder, type FieldsOf } from '../builder.ts';
import { isUserErrorCode } from './codes.ts';
import { type UserError, UserErrorType, userError } from './user-error.ts';

/** A refusal with its reasons. */
export class Refused extends Error {
  override readonly name = 'Refused';

  constructor(readonly userErrors: readonly UserError[]) {
    super(userErrors[0]?.message);
  }
}

export function refuse(...error: Parameters<typeof userError>): never {
  throw new Refused([userError(...error)]);
}

/** What a mutation returned, or why it was refused. */
export interface Payload<Result> {
  readonly result: Result | null;
  readonly userErrors: readonly UserError[];
}

/** The description of `dryRun` where nothing is planned: the mutation is only checked. */
export function dryRunDescription(result: string): string {
  return `Changes nothing: \`userErrors\` say why it would be refused, and the ${result} of the payload is null.`;
}

/** The description of `dryRun` where the payload has a plan. */
export function plannedDryRun(result: string): string {
  return `Changes nothing: the ${result} of the payload is null, and \`plan\` says what would happen.`;
}

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
 * Executes a mutation and builds its payload; without a result, that of a dry run. `subject` is the path of the invalid
 * argument if the engine names none. Rethrows everything but refusals.
 */
export async function payload<Result>(
  context: ApiContext,
  carryOut: () => Promise<Result | null>,
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
  if (!(error instanceof CommandError) || !isUserErrorCode(error.code)) throw unexpected(error);
  const path = error.path.length > 0 ? ['input', ...error.path] : subject;
  return [{ ...userError(error.code, error.message, ...path), retryable: error.retryable }];
}

/** For resolvers: GraphQL treats an error with a `path` as already located. */
export function unexpected(error: unknown): unknown {
  const isOwn = error instanceof GraphQLError;
  return error instanceof Error && 'path' in error && !isOwn ? new Error(error.message, { cause: error }) : error;
}

/** The number of the object that an argument names by its global id. Throws Refused. */
export function numberAt(typename: NodeTypeName, id: string, ...path: readonly string[]): number {
  try {
    return numberOf(typename, id);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    return refuse('INVALID_ID', error.message, ...path);
  }
}
