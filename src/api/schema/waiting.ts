import type { Waiting as WaitingFacts } from '../../core/index.ts';
import { CommandError } from '../../engine/ports.ts';
import { builder } from './builder.ts';
import { Lease } from './refs.ts';

/** A code with its description. */
const codes = {
  NOT_YET_CONSIDERED: { description: 'No scheduling pass has considered it yet.' },
  START_NOT_REACHED: { description: 'It is planned, and its start has not been reached.' },
  RESOURCES: { description: 'What it needs is held by other leases.' },
  BEHIND_IN_QUEUE: { description: 'Other leases stand before it in the queue.' },
  IMAGE_TRANSFER: { description: 'Its disk image is being transferred.' },
  SUSPENDED: { description: 'It is suspended, and continues when its machines fit.' },
  NODES_UNAVAILABLE: { description: 'Nodes that it needs are down or drained.' },
  MAINTENANCE: { description: 'Nodes that it needs are in maintenance.' },
  QUOTA: { description: 'The quotas of its project do not allow more now.' },
  QUARANTINED: {
    description:
      'What is stored of it is not sound, so the scheduler leaves it out. `leasegraph check` says why, and `leasegraph discard` gives it up.',
  },
} as const satisfies Record<WaitingFacts['code'] | 'QUARANTINED', { readonly description: string }>;

type WaitingAnswer = Omit<WaitingFacts, 'code'> & { readonly code: keyof typeof codes };

const quarantined: WaitingAnswer = {
  code: 'QUARANTINED',
  blockedBy: [],
  estimatedStart: null,
  longestNow: null,
};

const WaitingCode = builder.enumType('WaitingCode', { description: 'Why a lease waits.', values: codes });

const Waiting = builder.objectRef<WaitingAnswer>('Waiting').implement({
  description: 'Why the machines of a lease do not run now.',
  fields: (t) => ({
    code: t.expose('code', { type: WaitingCode, description: 'Why.' }),
    message: t.string({
      description: 'A sentence for people.',
      resolve: ({ code }) => codes[code].description,
    }),
    blockedBy: t.field({
      type: [Lease],
      description: 'Leases that hold what it waits for, as far as the principal may see them; at most ten.',
      resolve: async ({ blockedBy }, _args, { read }) => {
        const leases = await Promise.all(blockedBy.map((number) => read.lease(number)));
        return leases.filter((lease) => lease !== undefined);
      },
    }),
    estimatedStart: t.expose('estimatedStart', {
      type: 'DateTime',
      nullable: true,
      description: 'When it is planned to start.',
    }),
    longestNow: t.expose('longestNow', {
      type: 'Duration',
      nullable: true,
      description: 'The longest duration with which it could start now. Null when there is none.',
    }),
  }),
});

builder.objectField(Lease, 'waiting', (t) =>
  t.field({
    type: Waiting,
    nullable: true,
    description: 'Why its machines do not run now. Null when they run, and at the end.',
    resolve: async ({ number, endedAt }, _args, { principal, services }) => {
      if (endedAt !== null) return null;
      try {
        return await services.leases.submit('waiting', { leaseNumber: number }, { principal });
      } catch (error) {
        if (error instanceof CommandError && error.code === 'LEASE_QUARANTINED') return quarantined;
        // The lease has ended since it was read.
        if (error instanceof CommandError && ['LEASE_ENDED', 'LEASE_NOT_FOUND'].includes(error.code)) return null;
        throw error;
      }
    },
  }),
);
