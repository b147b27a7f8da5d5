// Writes schema.graphql: the schema as clients see it.
import { writeFileSync } from 'node:fs';
import { printSchema } from 'graphql';
import { schema } from '../src/api/index.ts';

writeFileSync(new URL('../schema.graphql', import.meta.url), `${printSchema(schema)}\n`);
