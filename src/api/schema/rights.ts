/** Applies the rights matrix to root fields and writes audit records of mutations. Resolvers do neither. */
import { defaultFieldResolver, type GraphQLField, type GraphQLFieldResolver, type GraphQLSchema } from 'graphql';
import { changesNothing } from '../../engine/ports.ts';
import { mayCall, requiredRole } from '../../identity/index.ts';
import { type ApiContext, delegating } from '../context.ts';
import { clientError } from '../errors.ts';
import { encodeGlobalId } from '../global-id.ts';
import type { Payload } from './mutations/payload.ts';
import { userError } from './mutations/user-error.ts';

type RootField = GraphQLField<unknown, ApiContext>;
type Resolver = GraphQLFieldResolver<unknown, ApiContext>;

/** Throws if a root field is missing from the matrix, since nobody could call it. */
export function withRights(schema: GraphQLSchema): GraphQLSchema {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  for (const type of roots) {
    for (const field of Object.values(type?.getFields() ?? {}) as RootField[]) {
      const name = `${type?.name}.${field.name}`;
      if (requiredRole[name] === undefined) throw new Error(`${name} is not in the rights matrix`);
      guard(name, field);
    }
  }
  return schema;
}

function guard(name: string, field: RootField): void {
  const resolve = field.resolve ?? defaultFieldResolver;
  if (name.startsWith('Mutation.')) {
    field.resolve = audited(field.name, refusedUnlessAllowed(name, resolve));
  } else if (field.subscribe) {
    field.subscribe = errorUnlessAllowed(name, field.subscribe);
  } else {
    field.resolve = errorUnlessAllowed(name, resolve);
  }
}

function notAllowed({ principal }: ApiContext, name: string): string {
  return `The role ${principal.role} does not allow ${name.replace(/^.*\./, '')}; it requires ${requiredRole[name]}.`;
}

function errorUnlessAllowed(name: string, resolve: Resolver): Resolver {
  return (root, args, context, info) => {
    if (!mayCall(context.principal, name)) throw clientError('FORBIDDEN', notAllowed(context, name));
    return resolve(root, args, context, info);
  };
}

function refusedUnlessAllowed(name: string, resolve: Resolver): Resolver {
  return (root, args, context, info) =>
    mayCall(context.principal, name)
      ? resolve(root, args, context, info)
      : { result: null, userErrors: [userError('FORBIDDEN', notAllowed(context, name))] };
}

/**
 * Global id of the mutation's subject. A refused id may be any text, including one that PostgreSQL cannot store, which
 * would lose the records written with it.
 */
function subjectOf(mutation: string, result: unknown, args: { readonly input?: { readonly id?: unknown } }) {
  const number = typeof result === 'object' && result !== null && 'number' in result ? result.number : result;
  if (typeof number === 'number') return encodeGlobalId(typeOf(mutation), number);
  const id = args.input?.id;
  return typeof id === 'string' ? id.slice(0, maxSubjectLength).replace(/\p{C}/gu, '\ufffd') : null;
}

const maxSubjectLength = 100;

/** The object type in a mutation's name, such as Lease for requestLease. */
function typeOf(mutation: string): string {
  const noun = /[A-Z].*$/.exec(mutation)?.[0] ?? mutation;
  return noun === 'Node' ? 'ComputeNode' : noun;
}

/** Every mutation is recorded: an accepted one in the transaction of its changes, any other here, afterwards. */
function audited(mutation: string, resolve: Resolver): Resolver {
  return async (root, args, context, info) => {
    const { principal: identity, requestId, services } = context;
    const { audit } = services.identity;
    const record = (outcome: string, result: unknown) =>
      audit.record({ identity, mutation, subject: subjectOf(mutation, result, args), outcome, requestId });
    let isRecorded = false;
    context.audit = {
      within: async (transaction, number) => {
        const subject = subjectOf(mutation, number, args);
        await audit.within(transaction, { identity, mutation, subject, outcome: 'OK', requestId });
        isRecorded = true;
      },
    };
    const subject = subjectOf(mutation, null, args);
    context.services = {
      ...services,
      leases: {
        ...delegating(services.leases),
        submit: async (kind, input, options) => {
          const note = { role: identity.role, mutation, requestId, subject };
          if (isRecorded || changesNothing(kind, input)) return services.leases.submit(kind, input, options);
          const result = await services.leases.submit(kind, input, { ...options, audit: note });
          isRecorded = true;
          return result;
        },
      },
    };
    try {
      const payload = (await resolve(root, args, context, info)) as Payload<unknown>;
      const [refusal] = payload.userErrors;
      const accepted = args.input?.dryRun === true ? 'DRY_RUN' : 'OK';
      if (refusal || !isRecorded) record(refusal?.code ?? accepted, payload.result);
      else audit.keepUp();
      return payload;
    } catch (error) {
      record('INTERNAL', null);
      throw error;
    } finally {
      context.services = services;
      context.audit = null;
    }
  };
}
