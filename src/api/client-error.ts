import { GraphQLError } from 'graphql';

/** An error outside of mutations: it stands in `errors`, with its code in `extensions.code` (docs/api.md). */
export const clientError = (code: string, message: string): GraphQLError =>
  new GraphQLError(message, { extensions: { code } });

/** An argument that makes no sense. */
export const badInput = (message: string): GraphQLError => clientError('BAD_USER_INPUT', message);

/** What a client sent, cut to a length that fits into a message. */
export const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
};
