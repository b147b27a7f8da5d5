import SchemaBuilder from '@pothos/core';
import RelayPlugin from '@pothos/plugin-relay';
import type { Instant, Millis } from '../../core/index.ts';
import type { ApiContext } from '../context.ts';
import { decodeGlobalId, encodeGlobalId } from '../global-id.ts';
import { maxPageSize } from '../limits.ts';
import { dateTime, duration, json, long } from './scalars.ts';

export interface ApiTypes {
  Context: ApiContext;
  Scalars: {
    DateTime: { Input: Instant; Output: Instant | Date };
    Duration: { Input: Millis; Output: Millis | bigint };
    Long: { Input: number; Output: number | bigint };
    ID: { Input: string; Output: string | number | bigint };
    JSON: { Input: unknown; Output: unknown };
  };
  DefaultFieldNullability: false;
  DefaultEdgesNullability: { list: false; items: false };
  DefaultNodeNullability: false;
}

/** The field builder of an object type with this shape. */
export type FieldsOf<Shape> = PothosSchemaTypes.ObjectFieldBuilder<
  PothosSchemaTypes.ExtendDefaultTypes<ApiTypes>,
  Shape
>;

export const builder = new SchemaBuilder<ApiTypes>({
  plugins: [RelayPlugin],
  defaultFieldNullability: false,
  relay: {
    cursorType: 'String',
    encodeGlobalID: (typename, id) => encodeGlobalId(typename, id),
    decodeGlobalID: (globalId) => decodeGlobalId(globalId),
    nodesQueryOptions: false,
    nodeQueryOptions: {
      description: 'The object with a global id. Null when there is none.',
      args: { id: { description: 'A global id: the value of `id` of any object.' } },
    },
    nodeTypeOptions: { description: 'An object with a global id.' },
    idFieldOptions: { description: 'The opaque global id, unique over all types.' },
    pageInfoTypeOptions: { description: 'The position of a page in its list.' },
    hasNextPageFieldOptions: { description: 'Whether the list goes on after this page.' },
    hasPreviousPageFieldOptions: { description: 'Whether the list has elements before this page.' },
    startCursorFieldOptions: { description: 'The cursor of the first element of this page.' },
    endCursorFieldOptions: { description: 'The cursor of the last element of this page.' },
    firstArgOptions: {
      description: `The number of elements to return from the start of the list (after \`after\`): 0 to ${maxPageSize}. Excludes \`last\`.`,
    },
    lastArgOptions: {
      description: `The number of elements to return from the end of the list (before \`before\`): 0 to ${maxPageSize}. Excludes \`first\`.`,
    },
    afterArgOptions: { description: 'A cursor of this list: returns only elements after it.' },
    beforeArgOptions: { description: 'A cursor of this list: returns only elements before it.' },
    edgesFieldOptions: {
      nullable: { list: false, items: false },
      description: 'The elements of this page, each with its cursor.',
    },
    nodeFieldOptions: { nullable: false, description: 'The element.' },
    cursorFieldOptions: { description: 'The position of the element in the list, for `after` and `before`.' },
    pageInfoFieldOptions: { description: 'The position of this page in the list.' },
    nodesOnConnection: { description: 'The elements of this page, without their cursors.' },
  },
});

builder.addScalarType('DateTime', dateTime);
builder.addScalarType('Duration', duration);
builder.addScalarType('Long', long);
builder.addScalarType('JSON', json);

builder.queryType({ description: 'What can be read. All of it has been committed.' });
builder.mutationType({
  description:
    'What can be changed. A mutation returns its result or `userErrors`; if there are errors, nothing has changed.',
});
builder.subscriptionType({ description: 'What can be watched, over server-sent events or graphql-ws.' });
