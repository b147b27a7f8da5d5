import { badInput } from '../errors.ts';
import { decodeGlobalId } from '../global-id.ts';
import { maxPageSize } from '../limits.ts';
import { builder } from './builder.ts';

builder.queryField('objects', (t) =>
  t.nodeList({
    description: `Objects by their global ids, in order; null where there is none. At most ${maxPageSize}.`,
    args: { ids: t.arg.idList({ required: true, description: 'Global ids.' }) },
    extensions: { listSize: ({ ids }: { readonly ids: readonly string[] }) => ids.length },
    ids: (_root, { ids }) => {
      if (ids.length > maxPageSize) {
        throw badInput(`\`ids\` has ${ids.length} ids; the maximum is ${maxPageSize}.`);
      }
      return ids.map((id) => (isGlobalId(id) ? id : null));
    },
  }),
);

function isGlobalId(id: string): boolean {
  try {
    decodeGlobalId(id);
    return true;
  } catch {
    return false;
  }
}
