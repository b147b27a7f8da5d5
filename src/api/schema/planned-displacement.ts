import type { CommandResult } from '../../engine/ports.ts';
import { maxListed } from '../limits.ts';
import type { Readers } from '../read/readers.ts';
import { builder } from './builder.ts';
import { StateReasonType } from './reason.ts';
import { Lease } from './refs.ts';

export type Displacement = CommandResult<'rehearseMaintenance'>;

export const PlannedDisplacement = builder.objectRef<Displacement>('PlannedDisplacement').implement({
  description: 'What a change of nodes would do to leases.',
  fields: (t) => ({
    accepted: t.exposeBoolean('accepted', { description: 'Whether it would be accepted.' }),
    reason: t.field({
      type: StateReasonType,
      nullable: true,
      description: 'Why it would be refused.',
      resolve: ({ reason }) => reason,
    }),
    displaces: t.field({
      type: [Lease],
      description: `Leases that would be moved, suspended or requeued, as far as the principal may see them, at most ${maxListed}; if the change would be refused, with DISPLACE.`,
      extensions: { listSize: maxListed },
      resolve: ({ displaces }, _args, { read }) => visibleLeases(displaces, read),
    }),
    withoutPlace: t.field({
      type: [Lease],
      description: `Those of them that would fail, or lose a place that they were promised; at most ${maxListed}.`,
      extensions: { listSize: maxListed },
      resolve: ({ withoutPlace }, _args, { read }) => visibleLeases(withoutPlace, read),
    }),
    firstPossibleStart: t.expose('firstPossibleStart', {
      type: 'DateTime',
      nullable: true,
      description:
        'If leases would lose a place that they were promised: when the same change would take it from none, by present plans. Of maintenance: a later start, with the same length. Of a node that is to be drained: when the last of these leases has started there.',
    }),
  }),
});

/** The list of leases that a change has displaced, for payloads; its resolver is `visibleLeases`. */
export const displacedField = {
  description: `The leases that were moved, suspended or requeued for it, as far as the principal may see them; at most ${maxListed}.`,
  extensions: { listSize: maxListed },
};

/** Those visible to the principal, at most `maxListed`. */
export async function visibleLeases(
  numbers: readonly number[],
  read: Pick<Readers, 'lease'>,
): Promise<(typeof Lease.$inferType)[]> {
  const leases = await Promise.all(numbers.map((number) => read.lease(number)));
  return leases.filter((lease) => lease !== undefined).slice(0, maxListed);
}
