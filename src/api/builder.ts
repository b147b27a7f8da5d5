import SchemaBuilder from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import RelayPlugin from '@pothos/plugin-relay';
import type { Instant, Millis } from '../core/index.ts';
import type PrismaTypes from '../store/prisma/pothos.ts';
import { getDatamodel } from '../store/prisma/pothos.ts';
import type { ApiContext } from './context.ts';
import { decodeGlobalId, encodeGlobalId } from './global-id.ts';
import { dateTime, duration, long } from './scalars.ts';

export interface ApiTypes {
  Context: ApiContext;
  PrismaTypes: PrismaTypes;
  Scalars: {
    DateTime: { Input: Instant; Output: Instant | Date };
    Duration: { Input: Millis; Output: Millis | bigint };
    Long: { Input: number; Output: number | bigint };
    ID: { Input: string; Output: string | number | bigint };
  };
  DefaultFieldNullability: false;
  DefaultEdgesNullability: { list: false; items: false };
  DefaultNodeNullability: false;
}

const windowArg = {
  first:
    'How many of the first elements of the list (after `after`) to return: 0 to 100. Not together with `last`.',
  last: 'How many of the last elements of the list (before `before`) to return: 0 to 100. Not together with `first`.',
  after: 'A cursor of this list: only what comes after it.',
  before: 'A cursor of this list: only what comes before it.',
};

export const builder = new SchemaBuilder<ApiTypes>({
  plugins: [RelayPlugin, PrismaPlugin],
  defaultFieldNullability: false,
  prisma: { client: (context) => context.services.prisma, dmmf: getDatamodel() },
  relay: {
    cursorType: 'String',
    encodeGlobalID: (typename, id) => encodeGlobalId(typename, id),
    decodeGlobalID: (globalId) => decodeGlobalId(globalId),
    nodesQueryOptions: false,
    nodeQueryOptions: {
      description: 'Anything that has a global id. Null when there is nothing with this id.',
      args: { id: { description: 'A global id, as `id` of any object gives it.' } },
    },
    nodeTypeOptions: { description: 'Anything that has a global id.' },
    idFieldOptions: { description: 'The opaque global id, unique over all types.' },
    pageInfoTypeOptions: { description: 'Where a page stands in its list.' },
    hasNextPageFieldOptions: { description: 'Whether the list goes on after this page.' },
    hasPreviousPageFieldOptions: { description: 'Whether the list has anything before this page.' },
    startCursorFieldOptions: { description: 'The cursor of the first element of this page.' },
    endCursorFieldOptions: { description: 'The cursor of the last element of this page.' },
    firstArgOptions: { description: windowArg.first },
    lastArgOptions: { description: windowArg.last },
    afterArgOptions: { description: windowArg.after },
    beforeArgOptions: { description: windowArg.before },
    edgesFieldOptions: {
      nullable: { list: false, items: false },
      description: 'The elements of this page, each with its cursor.',
    },
    nodeFieldOptions: { nullable: false, description: 'The element.' },
    cursorFieldOptions: { description: 'Where this element stands in the list: for `after` and `before`.' },
    pageInfoFieldOptions: { description: 'Where this page stands in the list.' },
    nodesOnConnection: { description: 'The elements of this page, without their cursors.' },
  },
});

builder.addScalarType('DateTime', dateTime);
builder.addScalarType('Duration', duration);
builder.addScalarType('Long', long);

builder.queryType({ description: 'What can be read. Everything that is seen has been committed.' });
builder.mutationType({
  description:
    'What can be changed. A mutation answers with its result, or with `userErrors`; with errors, nothing has changed.',
});
builder.subscriptionType({ description: 'What can be watched, over server-sent events or graphql-ws.' });
