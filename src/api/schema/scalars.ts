import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import type { Instant, Millis } from '../../core/index.ts';
import { badInput, shown } from '../errors.ts';
import { parseDuration, parseInstant, printDuration, printInstant } from '../values.ts';

/** Throws BAD_USER_INPUT. */
function parseLong(value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value)) throw badInput(`${shown(value)} is not a whole number.`);
  if (value < 0 || value > Number.MAX_SAFE_INTEGER) throw badInput(`${shown(value)} is not between 0 and 2^53 - 1.`);
  return value;
}

function literal<T>(kind: Kind, expected: string, parse: (value: string) => T) {
  return (node: ValueNode): T => {
    if (node.kind === kind && 'value' in node && typeof node.value === 'string') return parse(node.value);
    throw new GraphQLError(`Expected a ${expected}.`, {
      nodes: node,
      extensions: { code: 'BAD_USER_INPUT' },
    });
  };
}

export const dateTime = new GraphQLScalarType({
  name: 'DateTime',
  description:
    'An instant between the years 1970 and 9999, RFC 3339. Accepted with any offset, printed in UTC with milliseconds.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339',
  parseValue: parseInstant,
  parseLiteral: literal(Kind.STRING, 'string with an instant', parseInstant),
  serialize: (value: unknown) => printInstant(value as Instant | Date),
});

export const duration = new GraphQLScalarType({
  name: 'Duration',
  description:
    'ISO 8601 duration of fixed length, such as PT1H30M or P2D (a day is 24 h). Years and months are refused, since they have no fixed length.',
  parseValue: parseDuration,
  parseLiteral: literal(Kind.STRING, 'string with a duration', parseDuration),
  serialize: (value: unknown) => printDuration(value as Millis | bigint),
});

export const long = new GraphQLScalarType({
  name: 'Long',
  description: 'A whole number from 0 to 2^53 - 1, printed as a JSON number.',
  parseValue: parseLong,
  parseLiteral: literal(Kind.INT, 'whole number', (text) => parseLong(Number(text))),
  serialize: (value: unknown) => Number(value),
});

export const json = new GraphQLScalarType({
  name: 'JSON',
  description: 'Any JSON value. Only in results.',
  serialize: (value: unknown) => value,
  parseValue: (value: unknown) => value,
});
