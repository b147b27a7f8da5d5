/**
 * The names on which clients outside the project rely: each type, field, argument and value of contract-next.graphql
 * exists with a compatible type.
 */
import { readFileSync } from 'node:fs';
import {
  type DefinitionNode,
  type GraphQLField,
  type InputValueDefinitionNode,
  isEnumType,
  isInputObjectType,
  Kind,
  parse,
  print,
  type TypeNode,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../src/api/index.ts';

const contract = new URL('contract-next.graphql', import.meta.url);
const { definitions } = parse(readFileSync(contract, 'utf8'));

/** Each field that may fail alone is nullable, whatever the contract says, so that others are still answered. */
const mayBeNull = (type: string) => type === 'Query';

/** Whether a client that expects `expected` can read `actual`. */
function isReadable(actual: string, expected: TypeNode, nullable = false): boolean {
  const text = print(expected);
  if (actual === text) return true;
  if (nullable && actual === text.replace(/!$/, '')) return true;
  // Never null where it could be.
  return actual === `${text}!`;
}

/** Whether a client that sends `expected` is accepted. */
function isWritable(actual: string, expected: TypeNode): boolean {
  const text = print(expected);
  return actual === text || `${actual}!` === text;
}

function faultsOfArguments(
  where: string,
  expected: readonly InputValueDefinitionNode[],
  actual: readonly { readonly name: string; readonly type: unknown; readonly defaultValue?: unknown }[],
): string[] {
  return expected.flatMap(({ name, type, defaultValue }) => {
    const found = actual.find((each) => each.name === name.value);
    if (!found) return [`${where}.${name.value} does not exist`];
    const faults = isWritable(String(found.type), type)
      ? []
      : [`${where}.${name.value} is ${found.type}, not ${print(type)}`];
    if (defaultValue && print(defaultValue) !== String(found.defaultValue)) {
      faults.push(`${where}.${name.value} is ${found.defaultValue} by default, not ${print(defaultValue)}`);
    }
    return faults;
  });
}

function faultsOf(definition: DefinitionNode): string[] {
  if (!('name' in definition) || !definition.name) return [`${definition.kind} is not compared`];
  const name = definition.name.value;
  const type = schema.getType(name);
  if (!type) return [`${name} does not exist`];
  switch (definition.kind) {
    case Kind.ENUM_TYPE_DEFINITION: {
      const values = isEnumType(type) ? type.getValues().map((value) => value.name) : [];
      return (definition.values ?? []).flatMap((value) =>
        values.includes(value.name.value) ? [] : [`${name}.${value.name.value} does not exist`],
      );
    }
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
    case Kind.INPUT_OBJECT_TYPE_EXTENSION: {
      if (!isInputObjectType(type)) return [`${name} is no input`];
      const fields = Object.values(type.getFields());
      const given = new Set(definition.fields?.map((field) => field.name.value));
      const isWhole = definition.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION;
      const required = fields.filter((field) => String(field.type).endsWith('!') && !given.has(field.name));
      return [
        ...faultsOfArguments(name, definition.fields ?? [], fields),
        ...(isWhole ? required.map((field) => `${name}.${field.name} is required, but not in the contract`) : []),
      ];
    }
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.OBJECT_TYPE_EXTENSION: {
      if (!('getFields' in type) || isInputObjectType(type)) return [`${name} is no object type`];
      const fields = type.getFields() as Record<string, GraphQLField<unknown, unknown>>;
      return (definition.fields ?? []).flatMap((expected) => {
        const found = fields[expected.name.value];
        const where = `${name}.${expected.name.value}`;
        if (!found) return [`${where} does not exist`];
        const faults = faultsOfArguments(where, expected.arguments ?? [], found.args);
        if (!isReadable(String(found.type), expected.type, mayBeNull(name))) {
          faults.push(`${where} is ${found.type}, not ${print(expected.type)}`);
        }
        return faults;
      });
    }
    default:
      return [`${definition.kind} is not compared`];
  }
}

describe('the contract with its clients', () => {
  it('is kept', () => {
    expect(definitions.length).toBeGreaterThan(40);
    expect(definitions.flatMap(faultsOf)).toEqual([]);
  });

  it('is kept by arguments that it names in comments', () => {
    const argumentsOf = (root: 'Query' | 'Subscription', field: string) => {
      const type = schema.getType(root) as unknown as {
        getFields(): Record<string, GraphQLField<unknown, unknown>>;
      };
      return Object.fromEntries(type.getFields()[field]?.args.map(({ name, type: of }) => [name, String(of)]) ?? []);
    };
    expect(argumentsOf('Query', 'leases')).toMatchObject({ filter: 'LeaseFilter', orderBy: 'LeaseOrder' });
    expect(argumentsOf('Subscription', 'leaseEvents')).toMatchObject({ filter: 'LeaseEventFilter' });
  });
});
