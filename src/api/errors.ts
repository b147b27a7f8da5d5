import { GraphQLError } from 'graphql';

/** An error outside of `userErrors`: an entry of `errors`, with its code in `extensions.code` (docs/api.md). */
export function clientError(code: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code } });
}

/** An invalid argument. */
export function badInput(message: string): GraphQLError {
  return clientError('BAD_USER_INPUT', message);
}

/** A client's value, shortened for a message. (Nested values are omitted.) */
export function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'A list' : 'An object';
  if (typeof value === 'boolean' || value === null) return `The value ${value}`;
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** Throws BAD_USER_INPUT for a text that PostgreSQL cannot represent. */
export function checkComparable(name: string, ...texts: readonly (string | null | undefined)[]): void {
  for (const text of texts) {
    if (text?.includes('\0')) throw badInput(`The text ${shown(text)} of \`${name}\` has a NUL character.`);
  }
}
