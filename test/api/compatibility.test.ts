/** The schema against the last released one: a change that breaks clients fails. */
import { readFileSync } from 'node:fs';
import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema } from 'graphql';
import { expect, it } from 'vitest';
import { schema } from '../../src/api/index.ts';

const released = buildSchema(readFileSync(new URL('./released.graphql', import.meta.url), 'utf8'));

it('breaks no client of the released schema', async () => {
  const changes = await diff(released, schema);
  const breaking = changes.filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking);
  expect(breaking.map(({ message }) => message)).toEqual([]);
});
