import type { Amounts, Millis, PlannedLease as PlannedLeaseFacts } from '../../core/index.ts';
import { type Entries, maxListed } from '../limits.ts';
import { builder } from './builder.ts';
import { LeaseMachine } from './lease.ts';
import { visibleLeases } from './planned-displacement.ts';
import { StateReasonType } from './reason.ts';
import { Lease } from './refs.ts';

/** The outcome, and the requested machines. */
export interface Plan {
  readonly facts: PlannedLeaseFacts;
  readonly machines: readonly Amounts[];
  /** For an update that would be refused. */
  readonly maxDuration?: Millis | null;
}

export const PlannedLease = builder.objectRef<Plan>('PlannedLease').implement({
  description: 'What would happen to a request or an update.',
  fields: (t) => ({
    accepted: t.boolean({
      description: 'Whether it would be accepted.',
      resolve: ({ facts }) => facts.accepted,
    }),
    reason: t.field({
      resolve: ({ facts }) => facts.reason,
      type: StateReasonType,
      nullable: true,
      description: 'Why it would be rejected or refused, or would wait.',
    }),
    start: t.field({
      resolve: ({ facts }) => facts.start,
      type: 'DateTime',
      nullable: true,
      description: 'When its machines would start.',
    }),
    end: t.field({
      resolve: ({ facts }) => facts.end,
      type: 'DateTime',
      nullable: true,
      description: 'When it would end.',
    }),
    machines: t.field({
      type: [LeaseMachine],
      description: 'Its machines, machine 1 first, each with its node if there is a plan.',
      extensions: { entries: 'machines' satisfies Entries },
      resolve: ({ facts, machines }, _args, { read }) => {
        read.budget.take(machines.length);
        return machines.map((amounts, position) => {
          const index = position + 1;
          return { leaseNumber: 0, index, amounts, nodeNumber: facts.machines?.[index] ?? null };
        });
      },
    }),
    displaces: t.field({
      type: [Lease],
      description: `Leases that would be suspended, requeued or planned anew, as far as the principal may see them; at most ${maxListed}.`,
      extensions: { listSize: maxListed },
      resolve: ({ facts }, _args, { read }) => visibleLeases(facts.displaces, read),
    }),
    firstPossibleStart: t.field({
      resolve: ({ facts }) => facts.firstPossibleStart,
      type: 'DateTime',
      nullable: true,
      description: 'If it would be rejected or refused: when its machines could first start.',
    }),
    maxDuration: t.field({
      resolve: ({ maxDuration }) => maxDuration ?? null,
      type: 'Duration',
      nullable: true,
      description: 'If an extension would be refused: the longest duration that the lease could have.',
    }),
  }),
});
