/** The cost of generated operations, with sizes from sensible to absurd. */
import fc from 'fast-check';
import { getOperationAST, getVariableValues, parse } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/api/index.ts';
import { measure } from '../../src/server/graphql/measure.ts';
import { type OperationKind, Operations } from '../api/generated-operations.ts';

test('no part of an operation makes it cheaper', () => {
  const operations = new Operations(schema, Date.UTC(2030, 0, 31));
  let measured = 0;
  fc.assert(
    fc.property(fc.gen(), (draw) => {
      const kind = draw(() => fc.constantFrom<OperationKind[]>('query', 'mutation'));
      const { query, ...drawn } = operations.draw(draw, kind);
      const variables = { ...drawn.variables };
      if (draw(fc.boolean)) {
        const sizes = [...query.matchAll(/first: \$(\w+)/g)].map(([, name]) => name ?? '');
        for (const name of sizes) variables[name] = draw(() => fc.constantFrom(0, -1, -(2 ** 31), 3));
      }
      const document = parse(query);
      const operation = getOperationAST(document);
      if (!operation) throw new Error('no operation');
      const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
      if (!coerced) return;
      const whole = measure(schema, document, operation, coerced).cost;
      expect(whole, query).toSatisfy(Number.isSafeInteger);
      const parts = operation.selectionSet.selections.map((selection) => {
        const alone = { ...operation, selectionSet: { ...operation.selectionSet, selections: [selection] } };
        return measure(schema, document, alone, coerced).cost;
      });
      for (const part of parts) expect(part, query).toBeGreaterThanOrEqual(0);
      for (const part of parts) expect(whole, query).toBeGreaterThanOrEqual(part);
      measured += 1;
    }),
    { numRuns: 1_000 },
  );
  expect(measured).toBeGreaterThan(400);
});
