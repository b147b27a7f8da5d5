import type { Entries } from '../limits.ts';
import { intervalOf } from '../read/interval.ts';
import type { MaintenanceRow } from '../read/maintenance.ts';
import { builder } from './builder.ts';
import { ComputeNode, totalCount } from './refs.ts';

const prefix = 'Maintenance:';

export function maintenanceId(name: string): string {
  return Buffer.from(`${prefix}${name}`).toString('base64');
}

/** Null if it is not a maintenance id. */
export function maintenanceName(id: string): string | null {
  const text = Buffer.from(id, 'base64').toString('utf8');
  return text.startsWith(prefix) && maintenanceId(text.slice(prefix.length)) === id ? text.slice(prefix.length) : null;
}

/** A new name, which carries the reason; of a repeated `request`, the same name. */
export async function newMaintenanceName(reason: string | null | undefined, request: unknown = null): Promise<string> {
  const unique = request === null ? globalThis.crypto.randomUUID() : await digest(request);
  return reason ? `${unique} ${reason}` : unique;
}

async function digest(request: unknown): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(request));
  const hash = await globalThis.crypto.subtle.digest('SHA-256', bytes);
  return Buffer.from(hash).toString('hex').slice(0, 32);
}

export const Maintenance = builder.objectRef<MaintenanceRow>('Maintenance').implement({
  description: 'An interval in which nodes are not used.',
  fields: (t) => ({
    id: t.id({
      description: 'Its opaque id, for endMaintenance.',
      resolve: ({ name }) => maintenanceId(name),
    }),
    reason: t.string({
      nullable: true,
      description: 'Why, in the words of the operator that planned it.',
      resolve: ({ name }) => /^\S+ (.*)$/s.exec(name)?.[1] ?? null,
    }),
    nodes: t.field({
      type: [ComputeNode],
      description: 'The nodes.',
      extensions: { entries: 'nodes' satisfies Entries },
      resolve: async ({ nodes }, _args, { read }) => {
        const numbers = nodes as number[];
        read.budget.take(numbers.length);
        const found = await Promise.all(numbers.map((number) => read.node(number)));
        return found.filter((node) => node !== undefined);
      },
    }),
    start: t.expose('start', { type: 'DateTime', description: 'Its first instant.' }),
    end: t.expose('end', {
      type: 'DateTime',
      description: 'The first instant after it; when it was ended, that instant.',
    }),
  }),
});

const MaintenanceConnection = builder.connectionObject(
  {
    type: Maintenance,
    name: 'MaintenanceConnection',
    description: 'A page of maintenance.',
    fields: totalCount,
  },
  { name: 'MaintenanceEdge', description: 'A maintenance and its position in the list.' },
);

builder.queryField('maintenance', (t) =>
  t.connection(
    {
      type: Maintenance,
      description: 'Maintenance of nodes, past and planned, ordered by start.',
      args: {
        from: t.arg({ type: 'DateTime', description: 'Returns only what ends after this instant.' }),
        to: t.arg({ type: 'DateTime', description: 'Returns only what starts before this instant.' }),
      },
      resolve: (_root, { from, to, ...page }, { read }) => read.maintenance(intervalOf(from, to), page),
    },
    MaintenanceConnection,
  ),
);
