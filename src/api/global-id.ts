import type { GraphQLError } from 'graphql';
import { encodeGlobalId } from '../engine/ports.ts';
import { clientError, shown } from './errors.ts';
import { maxInt, maxLong } from './limits.ts';

/** The types with global ids and their maximum numbers. */
const maxNumber = {
  Lease: maxInt,
  ComputeNode: maxInt,
  Reservation: maxLong,
  LeaseEvent: maxLong,
  Project: maxInt,
  Token: maxInt,
  Action: maxLong,
  Notice: maxLong,
  Recurrence: maxInt,
  Webhook: maxInt,
  WebhookDelivery: maxLong,
} as const;

export type NodeTypeName = keyof typeof maxNumber;

function isNodeType(name: string): name is NodeTypeName {
  return Object.hasOwn(maxNumber, name);
}

export { encodeGlobalId };

/** Throws INVALID_ID for everything that encodeGlobalId does not return. */
export function decodeGlobalId(globalId: string): { readonly typename: NodeTypeName; readonly id: string } {
  const [typename = '', id = ''] = Buffer.from(globalId, 'base64').toString('utf8').split(':', 2);
  const isValid =
    isNodeType(typename) &&
    /^[1-9]\d{0,15}$/.test(id) &&
    Number(id) <= maxNumber[typename] &&
    encodeGlobalId(typename, id) === globalId;
  if (!isValid) throw invalidId(`${shown(globalId)} is not a global id. Use the value of an object's \`id\`.`);
  return { typename, id };
}

function withArticle(typename: NodeTypeName): string {
  return `${/^[AEIOU]/.test(typename) ? 'an' : 'a'} ${typename}`;
}

/** Decodes the number of a global id of this type. Throws INVALID_ID. */
export function numberOf(typename: NodeTypeName, globalId: string): number {
  const decoded = decodeGlobalId(globalId);
  if (decoded.typename !== typename) {
    throw invalidId(
      `${shown(globalId)} is the id of ${withArticle(decoded.typename)}; the id of ${withArticle(typename)} is required.`,
    );
  }
  return Number(decoded.id);
}

/** The numbers of a list of global ids of this type; null for no list. Throws INVALID_ID. */
export function numbersOf(typename: NodeTypeName, ids: readonly string[] | null | undefined) {
  return ids?.map((id) => numberOf(typename, id)) ?? null;
}

function invalidId(message: string): GraphQLError {
  return clientError('INVALID_ID', message);
}
