import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isNonNullType,
  isObjectType,
  isSpecifiedScalarType,
  printSchema,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../src/api/index.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

// The contract leaves connections to the Relay specification; it names these.
const connections = ['Lease', 'ComputeNode', 'Reservation', 'LeaseEvent'].map(
  (node) => `
    type ${node}Connection { edges: [${node}Edge!]! pageInfo: PageInfo! totalCount: Int! }
    type ${node}Edge { cursor: String! node: ${node}! }`,
);
const contract = buildSchema(
  `${read('contract.graphql')}
   type PageInfo { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }
   ${connections.join('')}`,
);

const released = buildSchema(read('released.graphql'));

/** Root fields that clients outside the project were promised to find non-null since the last release. */
const promisedNext = [
  ...['accounting', 'auditLog', 'availability', 'events', 'maintenance', 'objects', 'projects', 'scheduler'],
  ...['tokens', 'viewer'],
];

const typesOf = (of: GraphQLSchema): GraphQLNamedType[] =>
  Object.values(of.getTypeMap()).filter((type) => !type.name.startsWith('__') && !isSpecifiedScalarType(type));

describe('the schema', () => {
  it('equals the committed schema.graphql', () => {
    expect(`${printSchema(schema)}\n`, 'run `npm run generate`').toBe(read('../../schema.graphql'));
  });

  it.each(typesOf(contract).map((type) => [type.name, type] as const))('keeps the contract of %s', (name, expected) => {
    const actual = schema.getType(name);
    expect(actual?.constructor).toBe(expected.constructor);
    if (isEnumType(expected) && isEnumType(actual)) {
      expect(actual.getValues().map((value) => value.name)).toEqual(
        expect.arrayContaining(expected.getValues().map((value) => value.name)),
      );
    }
    if (isObjectType(expected) && isObjectType(actual)) {
      expect(actual.getInterfaces().map(String)).toEqual(expect.arrayContaining(expected.getInterfaces().map(String)));
    }
    if (!('getFields' in expected) || !actual || !('getFields' in actual)) return;
    for (const [field, { type, args = [] }] of Object.entries(expected.getFields()) as [
      string,
      GraphQLField<unknown, unknown>,
    ][]) {
      const found = actual.getFields()[field] as GraphQLField<unknown, unknown> | undefined;
      expect(`${field}: ${found?.type}`).toBe(`${field}: ${type}`);
      for (const arg of args) {
        const foundArg = found?.args.find((each) => each.name === arg.name);
        expect(`${field}(${arg.name}: ${foundArg?.type} = ${foundArg?.defaultValue})`).toBe(
          `${field}(${arg.name}: ${arg.type} = ${arg.defaultValue})`,
        );
      }
    }
    // An added input field must be optional: existing clients do not send it.
    if (isInputObjectType(expected) && isInputObjectType(actual)) {
      const added = Object.values(actual.getFields()).filter(({ name }) => !(name in expected.getFields()));
      expect(added.filter(({ type }) => String(type).endsWith('!'))).toEqual([]);
    }
  });

  it('has no root field that empties the answer when it fails, except those that clients rely on', () => {
    const fields = (of: GraphQLSchema) => Object.values(of.getQueryType()?.getFields() ?? {});
    const promised = [...fields(contract), ...fields(released)].map(({ name }) => name);
    const neverNull = fields(schema).filter(({ type }) => isNonNullType(type));
    expect(neverNull.flatMap(({ name }) => (promised.includes(name) ? [] : [name])).sort()).toEqual(promisedNext);
  });

  it('describes every type, field, argument and value', () => {
    const missing: string[] = [];
    const check = (where: string, described: { readonly description?: string | null | undefined }) => {
      if (!described.description) missing.push(where);
    };
    for (const type of typesOf(schema)) {
      check(type.name, type);
      if (isEnumType(type)) for (const value of type.getValues()) check(`${type.name}.${value.name}`, value);
      if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) continue;
      for (const field of Object.values(type.getFields()) as (GraphQLField<unknown, unknown> | GraphQLInputField)[]) {
        check(`${type.name}.${field.name}`, field);
        const args: readonly GraphQLArgument[] = 'args' in field ? field.args : [];
        for (const arg of args) check(`${type.name}.${field.name}(${arg.name}:)`, arg);
      }
    }
    expect(missing).toEqual([]);
  });

  it('says of everything deprecated since when, until when at least, and what to use instead', () => {
    const wrong: string[] = [];
    const check = (
      where: string,
      { deprecationReason }: { readonly deprecationReason?: string | null | undefined },
    ) => {
      if (deprecationReason == null) return;
      const isDated = /^Since \d{4}-\d{2}-\d{2}, until \d{4}-\d{2}-\d{2} at least: \S.+\.$/.test(deprecationReason);
      if (!isDated) wrong.push(`${where}: ${deprecationReason}`);
    };
    for (const type of typesOf(schema)) {
      if (isEnumType(type)) for (const value of type.getValues()) check(`${type.name}.${value.name}`, value);
      if (!('getFields' in type)) continue;
      for (const field of Object.values(type.getFields()) as (GraphQLField<unknown, unknown> | GraphQLInputField)[]) {
        check(`${type.name}.${field.name}`, field);
        for (const arg of 'args' in field ? field.args : []) check(`${type.name}.${field.name}(${arg.name}:)`, arg);
      }
    }
    expect(wrong).toEqual([]);
  });
});
