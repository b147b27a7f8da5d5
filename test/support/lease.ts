import type { Amounts, DiskImage, LeaseRequest, SchedulerConfig } from '../../src/core/index.ts';
import { makeLease } from '../../src/core/lifecycle/request.ts';
import { ResourceSpace } from '../../src/core/model/capacity.ts';
import type { Lease } from '../../src/core/model/lease.ts';
import type { SchedulerState } from '../../src/core/state.ts';
import { FOUR_NODES } from './story.ts';

/** A lease by itself, of which nobody has heard yet. */
export const leaseWith = (machines: readonly Amounts[], image: DiskImage | null = null): Lease =>
  makeLease({ space: new ResourceSpace(FOUR_NODES) } as SchedulerState, {
    id: 1,
    name: null,
    type: 'BEST_EFFORT',
    submittedAt: 0,
    requestedStart: null,
    deadline: null,
    originalDuration: 600_000,
    duration: 600_000,
    knownDuration: null,
    preemptible: true,
    machines,
    image,
    owner: null,
    project: null,
    endNotice: null,
    occurrenceOf: null,
  });

/** A request that makes sense; times in milliseconds. */
export const request = (changes: Partial<LeaseRequest> = {}): LeaseRequest => ({
  type: 'BEST_EFFORT',
  machines: [{ CPU: 100, Memory: 1024 }],
  duration: 600_000,
  preemptible: true,
  ...changes,
});

export type Config = Partial<SchedulerConfig>;
