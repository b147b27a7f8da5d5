/**
 * Stories about leases: who asks for what and when, and what becomes of it. All times are seconds from the story's
 * beginning.
 */
import {
  type Amounts,
  type DiskImage,
  defaultSchedulerConfig,
  type LeaseType,
  type Policies,
  type ReservationKind,
  type SchedulerConfig,
  SECOND,
  type SiteSpec,
} from '../../src/core/index.ts';
import { readCommands } from '../../src/simulation/formats/commands.ts';
import { textSource } from '../../src/simulation/formats/source.ts';
import type { LeaseResult, ReservationResult, SimulationResult } from '../../src/simulation/result.ts';
import { simulate } from '../../src/simulation/run.ts';
import type { TraceLease } from '../../src/simulation/workload.ts';

export interface StoryLease {
  readonly type: LeaseType;
  readonly arrival: number;
  readonly machines: readonly Amounts[];
  readonly duration: number;
  readonly start?: number;
  readonly deadline?: number;
  /** How long it really runs. */
  readonly known?: number;
  readonly preemptible?: boolean;
  readonly image?: DiskImage;
}

/** Machines that fill one of the nodes below each. */
export const WHOLE: Amounts = { CPU: 100, Memory: 1024 };

export const image = (name: string, sizeMb = 1024): DiskImage => ({ name, sizeMb });

/** So many alike. */
export const machines = (count: number, amounts: Amounts = WHOLE): Amounts[] => new Array<Amounts>(count).fill(amounts);

type More = Partial<Pick<StoryLease, 'known' | 'preemptible' | 'image'>> & { readonly each?: Amounts };

const lease =
  (type: LeaseType) =>
  (arrival: number, count: number, duration: number, { each, ...more }: More = {}): StoryLease => ({
    type,
    arrival,
    machines: machines(count, each),
    duration,
    ...more,
  });

export const bestEffort = lease('BEST_EFFORT');
export const immediate = lease('IMMEDIATE');
export const reservation = (
  arrival: number,
  start: number,
  count: number,
  duration: number,
  more: More = {},
): StoryLease => ({ ...lease('ADVANCE_RESERVATION')(arrival, count, duration, more), start });

/** From `start` on, and over by `deadline`. */
export const withDeadline = (
  arrival: number,
  start: number | undefined,
  deadline: number,
  count: number,
  duration: number,
  more: More = {},
): StoryLease => ({
  ...lease('DEADLINE')(arrival, count, duration, { preemptible: true, ...more }),
  ...(start === undefined ? {} : { start }),
  deadline,
});

/** So many nodes alike; node numbers count on over several. */
export const siteOf = (...sets: readonly (readonly [count: number, capacity: Amounts])[]): SiteSpec => {
  const capacities = sets.flatMap(([count, capacity]) => machines(count, capacity));
  return {
    resourceTypes: [...new Set(capacities.flatMap((capacity) => Object.keys(capacity)))],
    nodes: capacities.map((capacity, index) => ({
      number: index + 1,
      hostname: `node-${index + 1}`,
      capacity,
    })),
  };
};

export const FOUR_NODES = siteOf([4, WHOLE]);

export interface Setting {
  readonly site?: SiteSpec;
  readonly config?: Partial<SchedulerConfig>;
  readonly policies?: Partial<Policies>;
  /** [time, lease] */
  readonly cancel?: readonly (readonly [number, number])[];
  /** As the lines of a file of commands. */
  readonly commands?: readonly object[];
}

const LETTERS: Readonly<Record<ReservationKind, string>> = {
  VM: 'VM',
  SUSPENSION: 'S',
  RESUMPTION: 'R',
  SHUTDOWN: 'X',
  MEMORY_MIGRATION: 'M',
  DISK_MIGRATION: 'D',
  IMAGE_TRANSFER: 'T',
};

/** What became of everybody. Leases count from 1 in the order in which they are told of. */
export class Story {
  constructor(readonly result: SimulationResult) {}

  lease(id: number): LeaseResult {
    const found = this.result.leases.find((each) => each.id === id);
    if (!found) throw new Error(`there is no lease ${id} in this story`);
    return found;
  }

  /**
   * What was executed for a lease: `VM[0,60) X[60,62)`. Operations that take no time are left out unless they save or
   * restore machines.
   */
  timeline(id: number): string {
    return this.lease(id)
      .reservations.filter(({ kind, start, end }) => start !== end || kind !== 'SHUTDOWN')
      .map(({ kind, start, end }) => `${LETTERS[kind]}[${start},${end})`)
      .join(' ');
  }

  /** The nodes of a lease's machines, machine 1 first, in each of its runs: `1 2 | 3 4`. */
  nodes(id: number): string {
    return this.lease(id)
      .reservations.filter(({ kind }) => kind === 'VM')
      .map(({ nodes = {} }) => Object.values(nodes).join(' '))
      .join(' | ');
  }

  of(id: number, kind: ReservationKind): readonly ReservationResult[] {
    return this.lease(id).reservations.filter((each) => each.kind === kind);
  }

  /** What became of the commands: `ok`, or why it was refused, with the longest duration that was possible. */
  get answers(): string[] {
    return this.result.commands.map(
      ({ code, longest }) => `${code ?? 'ok'}${longest === undefined ? '' : ` ${longest}`}`,
    );
  }

  /** The states that a lease went through: `0 PENDING, 0 QUEUED, …`. */
  path(id: number): string {
    return this.result.events
      .filter(([, lease]) => lease === id)
      .map(([time, , , to]) => `${time} ${to}`)
      .join(', ');
  }
}

/**
 * What became of each lease: its state, its requested duration where it may have been updated, what was executed for
 * it, and on which nodes.
 */
export function outcome(story: Story): string[] {
  const isUpdated = story.result.commands.length > 0;
  return story.result.leases.map(({ id, state, requested }) =>
    [isUpdated ? `${state} of ${requested}` : state, story.timeline(id), story.nodes(id)]
      .filter((part) => part !== '')
      .join(' | '),
  );
}

export const configOf = (config: Partial<SchedulerConfig> = {}): SchedulerConfig => ({
  ...defaultSchedulerConfig,
  ...config,
});

/** Tells a story to its end. */
export const tell = (leases: readonly StoryLease[], setting: Setting = {}): Story => {
  const { site = FOUR_NODES, config, policies = {}, cancel = [], commands = [] } = setting;
  const traced = leases.map(
    ({ type, arrival, machines, duration, start, deadline, known, preemptible = true, image }, index): TraceLease => ({
      id: index + 1,
      type,
      arrival: arrival * SECOND,
      machines,
      duration: duration * SECOND,
      knownDuration: known === undefined ? null : known * SECOND,
      start: start === undefined ? null : start * SECOND,
      deadline: deadline === undefined ? null : deadline * SECOND,
      preemptible,
      image: image ?? null,
      user: null,
    }),
  );
  return new Story(
    simulate({
      workload: {
        name: null,
        description: null,
        site,
        leases: traced.sort((a, b) => a.arrival - b.arrival || a.id - b.id),
        attributes: {},
      },
      commands: readCommands(textSource('commands', commands.map((each) => JSON.stringify(each)).join('\n'))),
      cancellations: cancel.map(([at, leaseId]) => ({ at: at * SECOND, leaseId })),
      policies,
      config: {
        scheduler: configOf(config),
        startTime: 0,
        site,
        stopWhen: 'all-leases-done',
        overheads: { applyTo: 'none', runtimeSlowdown: 0, bootShutdown: 0 },
        overrideMemory: null,
        probes: [],
        attributes: {},
      },
    }),
  );
};
