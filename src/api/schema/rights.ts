/** Applies the rights matrix to the root fields, and records mutations. No resolver does either by itself. */
import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLSchema,
} from 'graphql';
import { changesNothing } from '../../engine/ports.ts';
import { mayCall, requiredRole } from '../../identity/index.ts';
import { type ApiContext, delegating } from '../context.ts';
import { clientError } from '../errors.ts';
import { encodeGlobalId } from '../global-id.ts';
import type { Payload } from './mutations/payload.ts';
import { userError } from './mutations/user-error.ts';

type RootField = GraphQLField<unknown, ApiContext>;
type Resolver = GraphQLFieldResolver<unknown, ApiContext>;

/** Throws when a root field has no place in the matrix: such a field could be called by nobody. */
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
 * What a mutation changed, or was to change, as a global id. An id that was refused may be any text, also one that
 * PostgreSQL cannot store: then the records that are written with it would be lost as well.
 */
function subjectOf(mutation: string, result: unknown, args: { readonly input?: { readonly id?: unknown } }) {
  const number = typeof result === 'object' && result !== null && 'number' in result ? result.number : result;
  if (typeof number === 'number') return encodeGlobalId(typeOf(mutation), number);
  const id = args.input?.id;
  return typeof id === 'string' ? id.slice(0, maxSubjectLength).replace(/\p{C}/gu, '\ufffd') : null;
}

const maxSubjectLength = 100;

/** The type of object that a mutation is named for, such as Lease for requestLease. */
function typeOf(mutation: string): string {
  const noun = /[A-Z].*$/.exec(mutation)?.[0] ?? mutation;
  return noun === 'Node' ? 'ComputeNode' : noun;
}

/**
 * Each mutation leaves a record. That of one that is accepted is written in the transaction of what it changes;
 * otherwise it is written here, afterwards.
 */
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
