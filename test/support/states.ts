/** Lease 1 in every state in which somebody can come upon it, with what is known of it then. */
import { type ActionKind, defaultSchedulerConfig } from '../../src/core/index.ts';
import type { Config } from './lease.ts';
import { Stage } from './stage.ts';
import { bestEffort, image, reservation, type StoryLease } from './story.ts';

const defaults: Config = { preemption: 'ar-preempts-everything', suspension: 'all', shutdownTime: 10_000 };
const transferring: Config = {
  ...defaults,
  preparation: 'imagetransfer',
  imageTransfer: { ...defaultSchedulerConfig.imageTransfer, reuse: 'image-caches' },
};

/** Runs from 0, is suspended from 968 to 1000, and resumed on its node from 1300 to 1332. */
const interrupted: readonly StoryLease[] = [bestEffort(0, 1, 3600), reservation(1, 1000, 4, 300)];
/** Is resumed on another node, to which its memory is moved from 1000 to 1082. */
const moved = [...interrupted, reservation(1, 1300, 1, 3000)];

export interface Situation {
  readonly state: string;
  /** Where a state alone does not tell. */
  readonly when?: string;
  readonly stage: () => Stage;
  /** How long it has run, in seconds. */
  readonly accumulated: number;
  /** What hosts are told when it is stopped, and on which nodes. */
  readonly told: readonly (readonly [ActionKind, readonly number[]])[];
}

export const situations: readonly Situation[] = [
  {
    state: 'PENDING',
    stage: () => new Stage([bestEffort(5, 1, 600)], { config: defaults }).toRequests(5),
    accumulated: 0,
    told: [],
  },
  {
    state: 'QUEUED',
    stage: () =>
      new Stage([bestEffort(10, 4, 600), reservation(0, 0, 4, 3600)], {
        config: { ...defaults, backfilling: 'off' },
      }).to(20),
    accumulated: 0,
    told: [],
  },
  {
    state: 'SCHEDULED',
    stage: () =>
      new Stage(
        [
          { ...bestEffort(10, 1, 600), image: image('A') },
          { ...bestEffort(0, 1, 600), image: image('B') },
        ],
        {
          config: transferring,
        },
      ).to(20),
    accumulated: 0,
    told: [],
  },
  {
    state: 'PREPARING',
    stage: () => new Stage([{ ...bestEffort(0, 1, 600), image: image('A') }], { config: transferring }).to(20),
    accumulated: 0,
    told: [['DESTROY', [1]]],
  },
  {
    state: 'READY',
    stage: () => new Stage([bestEffort(10, 4, 600), reservation(0, 0, 4, 3600)], { config: defaults }).to(20),
    accumulated: 0,
    told: [],
  },
  {
    state: 'ACTIVE',
    when: 'its machines running',
    stage: () => new Stage([bestEffort(0, 2, 600)], { config: defaults }).to(100),
    accumulated: 100,
    told: [['DESTROY', [1, 2]]],
  },
  {
    state: 'ACTIVE',
    when: 'its machines shutting down',
    stage: () => new Stage([bestEffort(0, 2, 600)], { config: defaults }).to(605),
    accumulated: 600,
    told: [['DESTROY', [1, 2]]],
  },
  {
    state: 'SUSPENDING',
    stage: () => new Stage(interrupted, { config: defaults }).to(980),
    accumulated: 968,
    told: [['DESTROY', [1]]],
  },
  {
    state: 'SUSPENDED_QUEUED',
    stage: () => new Stage(interrupted, { config: { ...defaults, backfilling: 'off' } }).to(1100),
    accumulated: 968,
    told: [['DESTROY', [1]]],
  },
  {
    state: 'SUSPENDED_SCHEDULED',
    when: 'waiting',
    stage: () => new Stage(interrupted, { config: defaults }).to(1100),
    accumulated: 968,
    told: [['DESTROY', [1]]],
  },
  {
    state: 'SUSPENDED_SCHEDULED',
    when: 'its memory being moved',
    stage: () => new Stage(moved, { config: { ...defaults, migration: 'yes', hostSelection: 'no-policy' } }).to(1050),
    accumulated: 968,
    // Where it comes from, and where it goes.
    told: [['DESTROY', [1, 2]]],
  },
  {
    state: 'RESUMING',
    stage: () => new Stage(interrupted, { config: defaults }).to(1310),
    accumulated: 968,
    told: [['DESTROY', [1]]],
  },
];

export const nameOf = ({ state, when }: Situation): string => (when ? `${state}, ${when}` : state);
