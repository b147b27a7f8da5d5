import type { GraphQLError } from 'graphql';
import { clientError, shown } from './client-error.ts';
import { largestInt, largestLong } from './connection.ts';

/** The types that have global ids, and the largest number that each counts to. */
const largestNumber = {
  Lease: largestInt,
  ComputeNode: largestInt,
  Reservation: largestLong,
  LeaseEvent: largestLong,
} as const;

export type NodeTypeName = keyof typeof largestNumber;

const isNodeType = (name: string): name is NodeTypeName => Object.hasOwn(largestNumber, name);

export const encodeGlobalId = (typename: string, number: string | number | bigint): string =>
  Buffer.from(`${typename}:${number}`).toString('base64');

/** Throws INVALID_ID for whatever encodeGlobalId does not make. */
export function decodeGlobalId(globalId: string): { readonly typename: NodeTypeName; readonly id: string } {
  const [typename = '', id = ''] = Buffer.from(globalId, 'base64').toString('utf8').split(':', 2);
  const wellFormed =
    isNodeType(typename) &&
    /^[1-9]\d{0,15}$/.test(id) &&
    Number(id) <= largestNumber[typename] &&
    encodeGlobalId(typename, id) === globalId;
  if (!wellFormed)
    throw invalidId(`${shown(globalId)} is not a global id. Use what the field \`id\` of an object gave.`);
  return { typename, id };
}

/** The number within the site of what a global id names, which must be of this type. Throws INVALID_ID. */
export function numberOf(typename: NodeTypeName, globalId: string): number {
  const decoded = decodeGlobalId(globalId);
  if (decoded.typename !== typename) {
    throw invalidId(
      `${shown(globalId)} is the id of a ${decoded.typename}; the id of a ${typename} is needed.`,
    );
  }
  return Number(decoded.id);
}

const invalidId = (message: string): GraphQLError => clientError('INVALID_ID', message);
