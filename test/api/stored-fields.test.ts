/** Which fields may be given again while nothing is committed: those that say so, and no field by default. */
import {
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  isInterfaceType,
  isObjectType,
  isUnionType,
} from 'graphql';
import { expect, it } from 'vitest';
import { isStored, schema } from '../../src/api/index.ts';
import { storedFields } from '../../src/api/stored-fields.ts';

/** Of queries: each type that they reach, with its fields. */
function reachable(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const visit = (type: GraphQLNamedType): void => {
    if (found.has(type.name) || !(isObjectType(type) || isInterfaceType(type) || isUnionType(type))) return;
    const fields = isUnionType(type) ? {} : type.getFields();
    found.set(type.name, Object.keys(fields));
    for (const field of Object.values(fields)) visit(getNamedType(field.type));
    if (!isObjectType(type)) for (const each of schema.getPossibleTypes(type)) visit(each);
  };
  visit(schema.getQueryType() as GraphQLObjectType);
  return found;
}

it('a field is read anew unless it is named', () => {
  expect(isStored('Lease', 'aFieldThatIsAddedLater')).toBe(false);
  expect(isStored('ATypeThatIsAddedLater', 'number')).toBe(false);
  expect(isStored('Query', '__schema')).toBe(false);
  const anew = [...reachable()].flatMap(([type, fields]) =>
    fields.filter((field) => !isStored(type, field)).map((field) => `${type}.${field}`),
  );
  const dependent = [
    ...['accounting', 'availability', 'scheduler', 'serverTime', 'viewer'].map((field) => `Query.${field}`),
    ...['ComputeNode.host', 'Lease.waiting', 'Project.members', 'Quota.usage', 'Recurrence.upcoming'],
  ];
  // What only these lead to.
  const within = new RegExp(
    `^(${[
      ...['Accounting', 'Availability', 'HostHealth', 'QuotaUsage', 'ResourceTime', 'SchedulerStatus'],
      ...['StrayMachine', 'TimeWindow', 'UnremovedMachine', 'UpcomingOccurrence', 'User(Connection|Edge)'],
      'Waiting',
    ].join('|')})\\.`,
  );
  expect(anew.filter((name) => !within.test(name)).sort()).toEqual(dependent.sort());
});

it('every field that is named exists', () => {
  const fields = reachable();
  for (const [type, names] of storedFields) {
    expect(fields.get(type), type).toEqual(expect.arrayContaining([...names]));
  }
});
