import { NameTaken, type RecordWithin } from '../../../identity/index.ts';
import type { ApiContext } from '../../context.ts';
import { printInstant } from '../../values.ts';
import { builder } from '../builder.ts';
import { RoleEnum, Token } from '../refs.ts';
import { keyDescription, once } from './once.ts';
import { numberAt, payload, payloadType, Refused, refuse } from './payload.ts';
import { textErrors } from './request-errors.ts';
import { userError } from './user-error.ts';

const CreateTokenInput = builder.inputType('CreateTokenInput', {
  description: 'A new token.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: 'The unique name of the principal that it stands for. Letters, digits and . _ - @ only.',
    }),
    role: t.field({ type: RoleEnum, required: true, description: 'What its holder may do.' }),
    projects: t.idList({ description: 'The projects of which its holder is a member.' }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When it expires, by the wall clock. Without it, never.',
    }),
    idempotencyKey: t.string({
      description: `${keyDescription('token')} The secret is not shown again.`,
    }),
  }),
});

interface CreatedToken {
  readonly number: number;
  /** Null for a repeated request. */
  readonly secret: string | null;
}

const CreateTokenPayload = payloadType<CreatedToken>(
  'CreateTokenPayload',
  'The created token, or why it was not created.',
  (t) => ({
    token: t.field({
      type: Token,
      nullable: true,
      description: 'The token. Null if there are errors.',
      resolve: ({ result }, _args, { read }) => (result === null ? null : read.token(result.number)),
    }),
    secret: t.string({
      nullable: true,
      description:
        'The secret, for the header `Authorization: Bearer SECRET`. It is shown this once: null when the request is repeated under its idempotency key. If it was lost, revoke the token, and create another one.',
      resolve: ({ result }) => result?.secret ?? null,
    }),
  }),
);

/** ':' is reserved for OpenID Connect names. */
const tokenName = /^[\p{L}\p{N}._@-]+$/u;
/** The administrator's token of the configuration. */
const reservedName = 'admin';

async function createToken(
  input: typeof CreateTokenInput.$inferInput,
  { services }: ApiContext,
  within: RecordWithin,
): Promise<CreatedToken> {
  const { name, role, expiresAt } = input;
  const { tokens, projects } = services.identity;
  const errors = [...textErrors(name, 'input', 'name')];
  if (errors.length === 0 && (!tokenName.test(name) || name === reservedName)) {
    errors.push(
      userError(
        'INVALID_REQUEST',
        `A name has letters, digits and . _ - @ only, and is not "${reservedName}".`,
        'input',
        'name',
      ),
    );
  }
  if (typeof expiresAt === 'number' && expiresAt <= Date.now()) {
    const message = `The token would have expired already, at ${printInstant(expiresAt)}. Give a later instant.`;
    errors.push(userError('INVALID_REQUEST', message, 'input', 'expiresAt'));
  }
  if (errors.length > 0) throw new Refused(errors);
  const numbers = [
    ...new Set(
      (input.projects ?? []).map((id, index) => numberAt('Project', id, 'input', 'projects', String(index))),
    ),
  ];
  const [unknown] = await projects.unknown(numbers);
  if (unknown !== undefined) {
    refuse('PROJECT_NOT_FOUND', `Project ${unknown} does not exist.`, 'input', 'projects');
  }
  try {
    const { token, secret } = await tokens.create(
      {
        name,
        role,
        projects: numbers,
        expiresAt: typeof expiresAt === 'number' ? new Date(expiresAt) : null,
      },
      within,
    );
    return { number: token.number, secret };
  } catch (error) {
    if (!(error instanceof NameTaken)) throw error;
    return refuse(
      'NAME_TAKEN',
      `There is a token with the name "${name}", possibly a revoked one. Choose another name.`,
      'input',
      'name',
    );
  }
}

const RevokeTokenInput = builder.inputType('RevokeTokenInput', {
  description: 'The token to revoke.',
  fields: (t) => ({ id: t.id({ required: true, description: 'Its global id.' }) }),
});

const RevokeTokenPayload = payloadType<number>(
  'RevokeTokenPayload',
  'The revoked token, or why it was not revoked.',
  (t) => ({
    token: t.field({
      type: Token,
      nullable: true,
      description: 'The token. Null if there are errors.',
      resolve: ({ result }, _args, { read }) => (result === null ? null : read.token(result)),
    }),
  }),
);

builder.mutationFields((t) => ({
  createToken: t.field({
    type: CreateTokenPayload,
    description: 'Creates a token. For administrators.',
    args: { input: t.arg({ type: CreateTokenInput, required: true, description: 'The token.' }) },
    resolve: (_root, { input }, context) =>
      payload(context, async () => {
        const { made, number } = await once(context, 'createToken', input, (within) =>
          createToken(input, context, within),
        );
        return made ?? { number, secret: null };
      }),
  }),
  revokeToken: t.field({
    type: RevokeTokenPayload,
    description:
      'Revokes a token for good, and ends its subscriptions. Other servers notice within two seconds. For administrators.',
    args: { input: t.arg({ type: RevokeTokenInput, required: true, description: 'The token.' }) },
    resolve: (_root, { input }, context) =>
      payload(context, async () => {
        const number = numberAt('Token', input.id, 'input', 'id');
        const token = await context.services.identity.tokens.revoke(number, context.audit?.within);
        return token === null
          ? refuse('TOKEN_NOT_FOUND', `Token ${number} does not exist.`, 'input', 'id')
          : token.number;
      }),
  }),
}));
