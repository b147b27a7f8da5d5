import type { CommandResult } from '../../engine/ports.ts';
import { maxListed } from '../limits.ts';
import { builder } from './builder.ts';
import { visibleLeases } from './planned-displacement.ts';
import { Lease } from './refs.ts';

export type Ending = CommandResult<'rehearseEnd'>;

type SoonerFacts = Ending['sooner'][number] & { readonly row: typeof Lease.$inferType };

const SoonerStart = builder.objectRef<SoonerFacts>('SoonerStart').implement({
  description: 'A waiting lease that would start or resume earlier.',
  fields: (t) => ({
    lease: t.field({ type: Lease, description: 'The lease.', resolve: ({ row }) => row }),
    plannedStart: t.expose('planned', {
      type: 'DateTime',
      nullable: true,
      description: 'When it starts or resumes as planned now. Null: it has no plan.',
    }),
    start: t.expose('start', { type: 'DateTime', description: 'When it would start or resume then.' }),
  }),
});

export const PlannedEnding = builder.objectRef<Ending>('PlannedEnding').implement({
  description: 'What would follow if leases ended now. Nothing is displaced.',
  fields: (t) => ({
    accepted: t.boolean({
      description: 'True: if the mutation would be refused, `userErrors` say why and there is no plan.',
      resolve: () => true,
    }),
    ends: t.field({
      type: [Lease],
      description: `The leases that would end, at most ${maxListed}. Of a recurrence: its occurrences that are leases already.`,
      extensions: { listSize: maxListed },
      resolve: ({ ends }, _args, { read }) => visibleLeases(ends, read),
    }),
    sooner: t.field({
      type: [SoonerStart],
      description: `Waiting leases that would start or resume earlier, as far as the principal may see them, in the order of their starts; at most ${maxListed}.`,
      extensions: { listSize: maxListed },
      resolve: async ({ sooner }, _args, { read }) => {
        const rows = await visibleLeases(
          sooner.map(({ lease }) => lease),
          read,
        );
        const byNumber = new Map(rows.map((row) => [row.number, row]));
        return sooner.flatMap((each) => {
          const row = byNumber.get(each.lease);
          return row ? [{ ...each, row }] : [];
        });
      },
    }),
    isComplete: t.exposeBoolean('isComplete', {
      description:
        'Whether all waiting leases were tried. If false, only the first ones were, and more may start earlier. The number is limited so that the scheduler is not held up.',
    }),
  }),
});

/** The plan of mutations that end leases, for payloads. */
export const endingField = {
  type: PlannedEnding,
  nullable: true,
  description: 'With `dryRun`: what would happen. Otherwise null.',
} as const;
