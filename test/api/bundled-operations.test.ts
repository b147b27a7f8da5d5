/** The operations of the command line and of the web console stay far below the default limits of a server. */
import { readdirSync, readFileSync } from 'node:fs';
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  visit,
} from 'graphql';
import { expect, it } from 'vitest';
import { schema } from '../../src/api/index.ts';
import { maxMachines } from '../../src/api/limits.ts';
import { measure } from '../../src/server/graphql/measure.ts';
import { defaultServerLimits } from '../../src/server/limits.ts';

const definitionsOf = (folder: URL) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.graphql'))
    .flatMap((name) => parse(readFileSync(new URL(name, folder), 'utf8')).definitions);

/** An operation with the fragments that it uses, as it is sent. */
function sent(definition: DocumentNode['definitions'][number], all: DocumentNode['definitions']): DocumentNode {
  const used = new Set([definition]);
  for (const each of used) {
    visit(each, {
      FragmentSpread: ({ name }) => {
        const found = all.find((other) => other.kind === Kind.FRAGMENT_DEFINITION && other.name.value === name.value);
        if (found) used.add(found as FragmentDefinitionNode);
      },
    });
  }
  return { kind: Kind.DOCUMENT, definitions: [...used] };
}

const operations = ['src/cli/client/', 'console/src/api/'].flatMap((folder) => {
  const all = definitionsOf(new URL(`../../${folder}`, import.meta.url));
  return all.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION
      ? [[`${folder} ${definition.name?.value}`, definition, sent(definition, all)] as const]
      : [],
  );
});

const amounts = ['CPU', 'Memory', 'GPU', 'Disk'].map((type) => ({ type, amount: 1 }));
const machines = [{ count: maxMachines, capacity: amounts }];
const inputs: Readonly<Record<string, unknown>> = {
  '[MachineSetInput!]!': machines,
  'RequestLeaseInput!': { machines },
  'CreateRecurrenceInput!': { machines },
};

/** As large as the API allows: pages of 100, leases of 10 000 machines, and 10 000 samples of an interval. Instants and durations in milliseconds. */
const interval = { from: 0, to: 10_000, step: 1 };
const variablesOf = ({ variableDefinitions = [] }: OperationDefinitionNode) =>
  Object.fromEntries(
    variableDefinitions.map(({ variable: { name }, type }) => {
      const value = Object.entries(interval).find(([key]) => key === name.value)?.[1];
      const given = value ?? inputs[print(type)] ?? (print(type).startsWith('Int') ? 100 : 'x');
      return [name.value, given];
    }),
  );

it('there are operations of both clients', () => {
  expect(operations.filter(([name]) => name.startsWith('src')).length).toBeGreaterThan(30);
  expect(operations.filter(([name]) => name.startsWith('console')).length).toBeGreaterThan(30);
});

/** On sites of any size. */
const onSites = operations.flatMap(([name, ...operation]) =>
  [4, 100_000].map((nodes) => [`${name}, on ${nodes} nodes`, nodes, ...operation] as const),
);

it.each(onSites)('%s', (_name, nodes, operation, document) => {
  const measured = measure(schema, document, operation, variablesOf(operation), { nodes });
  expect(measured.cost).toBeLessThan(defaultServerLimits.cost);
  expect(measured.depth).toBeLessThanOrEqual(defaultServerLimits.depth);
  expect(measured.aliases).toBeLessThanOrEqual(defaultServerLimits.aliases);
  // Ten at once by one principal, and one per second for good.
  expect(measured.cost).toBeLessThanOrEqual(defaultServerLimits.costBurst / 10);
  expect(measured.cost).toBeLessThanOrEqual(defaultServerLimits.costPerSecond);
  expect(print(document).length).toBeLessThan(defaultServerLimits.bodyBytes / 10);
});
