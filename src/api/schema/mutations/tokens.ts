import { NameTaken, type RecordWithin, type TokenChanges } from '../../../identity/index.ts';
import type { ApiContext } from '../../context.ts';
import { printInstant } from '../../values.ts';
import { builder, type FieldsOf } from '../builder.ts';
import { RoleEnum, Token } from '../refs.ts';
import { keyDescription, once } from './once.ts';
import { numberAt, type Payload, payload, payloadType, Refused, refuse } from './payload.ts';
import { textErrors } from './request-errors.ts';
import { type UserError, userError } from './user-error.ts';

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
      resolve: ({ result }, _args, { read }) => (result === null ? null : read.identity.token(result.number)),
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

function expiryErrors(expiresAt: number | null | undefined): readonly UserError[] {
  if (typeof expiresAt !== 'number' || expiresAt > Date.now()) return [];
  const message = `The token would have expired already, at ${printInstant(expiresAt)}. Give a later instant.`;
  return [userError('INVALID_REQUEST', message, 'input', 'expiresAt')];
}

type ProjectLists = Readonly<Partial<Record<ProjectList, readonly string[] | null | undefined>>>;
type ProjectList = 'projects' | 'addProjects' | 'removeProjects';

/** The numbers of existing projects, each once; undefined without the list. Throws Refused. */
async function projectsAt(
  input: ProjectLists,
  { identity }: ApiContext['services'],
  list: ProjectList,
): Promise<readonly number[] | undefined> {
  const ids = input[list];
  if (!ids) return undefined;
  const numbers = ids.map((id, index) => numberAt('Project', id, 'input', list, String(index)));
  const [unknown] = await identity.projects.unknown([...new Set(numbers)]);
  if (unknown !== undefined) {
    const index = String(numbers.indexOf(unknown));
    refuse('PROJECT_NOT_FOUND', `Project ${unknown} does not exist.`, 'input', list, index);
  }
  return [...new Set(numbers)];
}

async function createToken(
  input: typeof CreateTokenInput.$inferInput,
  { services }: ApiContext,
  within: RecordWithin,
): Promise<CreatedToken> {
  const { name, role, expiresAt } = input;
  const { tokens } = services.identity;
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
  errors.push(...expiryErrors(expiresAt));
  if (errors.length > 0) throw new Refused(errors);
  const numbers = (await projectsAt(input, services, 'projects')) ?? [];
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

const UpdateTokenInput = builder.inputType('UpdateTokenInput', {
  description:
    'Changes of a token. What is not given stays as it is. Its name stays: the leases of its holder belong to it.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Its global id.' }),
    role: t.field({ type: RoleEnum, description: 'What its holder may do from now on.' }),
    projects: t.idList({ description: 'All projects of which its holder is a member from now on.' }),
    addProjects: t.idList({ description: 'Projects of which its holder becomes a member.' }),
    removeProjects: t.idList({ description: 'Projects of which its holder is no longer a member.' }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When it expires from now on, by the wall clock; null: never.',
    }),
  }),
});

async function updateToken(
  input: typeof UpdateTokenInput.$inferInput,
  { audit, services }: ApiContext,
): Promise<number> {
  const number = numberAt('Token', input.id, 'input', 'id');
  const { expiresAt, role } = input;
  const errors = expiryErrors(expiresAt);
  if (errors.length > 0) throw new Refused(errors);
  const changes: TokenChanges = {
    role: role ?? undefined,
    projects: await projectsAt(input, services, 'projects'),
    addProjects: await projectsAt(input, services, 'addProjects'),
    removeProjects: await projectsAt(input, services, 'removeProjects'),
    expiresAt: typeof expiresAt === 'number' ? new Date(expiresAt) : expiresAt,
  };
  if (Object.values(changes).every((change) => change === undefined)) {
    refuse('INVALID_REQUEST', 'The update changes nothing. Give a role, projects or an expiry.', 'input');
  }
  const token = await services.identity.tokens.update(number, changes, audit?.within);
  if (token === null) return refuse('TOKEN_NOT_FOUND', `Token ${number} does not exist.`, 'input', 'id');
  if (token !== 'revoked') return token.number;
  const message = `Token ${number} has been revoked, so it cannot be changed. Create another one.`;
  return refuse('TOKEN_REVOKED', message, 'input', 'id');
}

function tokenField(t: FieldsOf<Payload<number>>) {
  return {
    token: t.field({
      type: Token,
      nullable: true,
      description: 'The token. Null if there are errors.',
      resolve: ({ result }, _args, { read }) => (result === null ? null : read.identity.token(result)),
    }),
  };
}

const UpdateTokenPayload = payloadType<number>(
  'UpdateTokenPayload',
  'The changed token, or why it was not changed.',
  tokenField,
);

const RevokeTokenInput = builder.inputType('RevokeTokenInput', {
  description: 'The token to revoke.',
  fields: (t) => ({ id: t.id({ required: true, description: 'Its global id.' }) }),
});

const RevokeTokenPayload = payloadType<number>(
  'RevokeTokenPayload',
  'The revoked token, or why it was not revoked.',
  tokenField,
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
  updateToken: t.field({
    type: UpdateTokenPayload,
    description:
      'Changes the role, the projects or the expiry of a token. Subscriptions with other rights than the new ones end without being completed, so that clients open them again. Other servers notice within two seconds. For administrators.',
    args: { input: t.arg({ type: UpdateTokenInput, required: true, description: 'The changes.' }) },
    resolve: (_root, { input }, context) => payload(context, () => updateToken(input, context)),
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
