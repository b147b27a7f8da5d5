import { builder } from '../builder.ts';

export const LeaseTypeEnum = builder.enumType('LeaseType', {
  description: 'When a lease wants its machines.',
  values: {
    BEST_EFFORT: { description: 'As soon as they fit; until then it waits in the queue.' },
    ADVANCE_RESERVATION: { description: 'At an exact start; otherwise it is rejected.' },
    IMMEDIATE: { description: 'Now; otherwise it is rejected.' },
    DEADLINE: { description: 'Any time, so that it is done before its deadline.' },
  } as const,
});

export const LeaseStateEnum = builder.enumType('LeaseState', {
  description: 'Where a lease stands in its life.',
  values: {
    NEW: { description: 'Made, and not yet looked at.' },
    PENDING: { description: 'Accepted, and waiting for the next scheduling pass.' },
    REJECTED: { description: 'Final: it was refused, or could not be scheduled.' },
    SCHEDULED: { description: 'Has reservations, and something to prepare first.' },
    QUEUED: { description: 'Best effort: waits in the queue.' },
    CANCELLED: { description: 'Final: a user cancelled it.' },
    PREPARING: { description: 'Its disk image is on its way to the nodes.' },
    READY: { description: 'Has reservations, and nothing left to prepare.' },
    ACTIVE: { description: 'Its machines run (or shut down).' },
    SUSPENDING: { description: 'Its machines are being suspended.' },
    SUSPENDED_PENDING: { description: 'Suspended, and waiting for the next scheduling pass.' },
    SUSPENDED_QUEUED: { description: 'Suspended, and waiting in the queue.' },
    SUSPENDED_SCHEDULED: { description: 'Suspended, and its resumption is reserved.' },
    MIGRATING: { description: 'Its suspended machines are on their way to other nodes.' },
    RESUMING: { description: 'Its machines are being resumed.' },
    RESUMED_READY: { description: 'Its machines are resumed and about to run.' },
    DONE: { description: 'Final: it ran.' },
    FAILED: { description: 'Final: something that it needed could not be done.' },
    REJECTED_BY_USER: { description: 'Final: its user did not accept the price.' },
  } as const,
});
