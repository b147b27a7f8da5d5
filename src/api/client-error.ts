import { GraphQLError } from 'graphql';

/** An error outside of mutations: it stands in `errors`, with its code in `extensions.code` (docs/api.md). */
export const clientError = (code: string, message: string): GraphQLError =>
  new GraphQLError(message, { extensions: { code } });

/** An argument that makes no sense. */
export const badInput = (message: string): GraphQLError => clientError('BAD_USER_INPUT', message);

/** What a client sent, in a length that fits into a message. (What is nested without end must not be followed.) */
export const shown = (value: unknown): string => {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'A list' : 'An object';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
};
