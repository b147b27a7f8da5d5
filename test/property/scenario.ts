import fc from 'fast-check';
import {
  type Amounts,
  DAY,
  type DiskImage,
  defaultSchedulerConfig,
  type Instant,
  type LeaseRequest,
  type LeaseType,
  type Millis,
  type SchedulerConfig,
  SECOND,
  type SiteSpec,
} from '../../src/core/index.ts';

/** A whole run as data, which fast-check generates, shrinks and prints. */
export interface Scenario {
  readonly site: SiteSpec;
  readonly config: SchedulerConfig;
  /** In order of arrival; ids count up from 1. */
  readonly requests: readonly { readonly at: Instant; readonly request: LeaseRequest }[];
  /** In order of time. */
  readonly cancellations: readonly { readonly at: Instant; readonly leaseId: number }[];
}

const seconds = (...values: number[]) => fc.constantFrom(...values.map((value) => value * SECOND));
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });

// ---------------------------------------------------------------- sites

const cores = fc.integer({ min: 1, max: 4 });

/**
 * One instance of CPU per node, or several between which no share may be split; sometimes with a custom resource
 * type.
 */
export const sites: fc.Arbitrary<SiteSpec> = fc
  .record({
    multi: fc.boolean(),
    licences: fc.boolean(),
    nodes: fc.array(
      fc.record({
        cores,
        memory: fc.constantFrom(1024, 2048, 4096, 512),
        licences: fc.integer({ max: 3, min: 0 }),
      }),
      { minLength: 1, maxLength: 8 },
    ),
    alike: fc.boolean(),
  })
  .map(({ multi, licences, nodes, alike }) => ({
    resourceTypes: licences ? ['CPU', 'Memory', 'Licence'] : ['CPU', 'Memory'],
    nodes: nodes.map((node, index) => {
      const like = alike ? (nodes[0] as typeof node) : node;
      return {
        number: index + 1,
        hostname: `node-${index + 1}`,
        capacity: {
          CPU: multi ? new Array<number>(like.cores).fill(100) : like.cores * 100,
          Memory: like.memory,
          ...(licences ? { Licence: like.licences } : {}),
        },
      };
    }),
  }));

const isMultiInstance = (site: SiteSpec) => site.nodes.some(({ capacity }) => typeof capacity.CPU === 'object');

// ---------------------------------------------------------------- configurations

const anyConfigs: fc.Arbitrary<SchedulerConfig> = fc.record({
  admission: fc.oneof({ weight: 4, arbitrary: fc.constant('accept-all') }, fc.constant('no-ARs')),
  hostSelection: fc.constantFrom('greedy', 'no-policy'),
  preemption: fc.constantFrom('no-preemption', 'ar-preempts-everything', 'ar-preempts-be'),
  backfilling: fc.constantFrom('off', 'aggressive', 'intermediate', 'conservative'),
  backfillingReservations: fc.integer({ min: 0, max: 4 }),
  suspension: fc.constantFrom('all', 'none', 'serial-only'),
  suspendRate: fc.constantFrom(32, 10.5, 128, 1000),
  resumeRate: fc.constantFrom(32, 20.25, 128, 1000),
  suspendResumeExclusion: fc.constantFrom('local', 'global'),
  overrideSuspendTime: orNull(seconds(0, 3, 20)),
  overrideResumeTime: orNull(seconds(0, 3, 20)),
  schedulingThresholdFactor: fc.constantFrom(1, 0, 2, 0.5),
  forceSchedulingThreshold: orNull(seconds(0, 60, 600)),
  migration: fc.constantFrom('yes', 'no', 'yes-notransfer'),
  shutdownTime: seconds(0, 2, 0, 10, 60),
  enactmentOverhead: seconds(0, 1, 5),
  preparation: fc.constantFrom('unmanaged', 'imagetransfer'),
  imageTransfer: fc.record({
    bandwidth: fc.constantFrom(100, 1000),
    mechanism: fc.constantFrom('multicast', 'unicast'),
    avoidRedundantTransfers: fc.boolean(),
    forceTransferTime: orNull(seconds(0, 30)),
    reuse: fc.constantFrom('image-caches', 'none'),
    cacheSizeMb: fc.constantFrom(-1, 0, 300, 700, 1500),
  }),
  leaseFailureHandling: fc.constant('cancel'),
  nodeFailure: fc.constantFrom('requeue', 'fail'),
  preemptionLimit: fc.constantFrom(null, null, 0, 1),
  preemptionExemptTime: seconds(0, 0, 60, 600),
  preemptionPeace: fc.constantFrom(7 * DAY, null),
  stopVictims: fc.constantFrom('at-once', 'when-needed'),
});

/** Half of them make suspension and migration worthwhile, so that both happen. */
export const configs: fc.Arbitrary<SchedulerConfig> = fc
  .tuple(anyConfigs, fc.boolean(), fc.constantFrom('yes', 'yes', 'no', 'yes-notransfer'))
  .map(([config, lively, migration]) =>
    lively
      ? {
          ...config,
          admission: 'accept-all',
          preemption: 'ar-preempts-everything',
          suspension: 'all',
          suspendRate: 128,
          resumeRate: 128,
          overrideSuspendTime: null,
          schedulingThresholdFactor: 0,
          forceSchedulingThreshold: null,
          enactmentOverhead: Math.min(config.enactmentOverhead, SECOND),
          shutdownTime: Math.min(config.shutdownTime, 2 * SECOND),
          migration: migration as SchedulerConfig['migration'],
        }
      : config,
  );

/** Without image transfers, suspension and preemption: only queueing and backfilling. */
export const plainConfigs: fc.Arbitrary<SchedulerConfig> = configs.map((config) => ({
  ...config,
  admission: 'accept-all',
  preemption: 'no-preemption',
  suspension: 'none',
  preparation: 'unmanaged',
  imageTransfer: defaultSchedulerConfig.imageTransfer,
}));

// ---------------------------------------------------------------- workloads

const images: readonly (DiskImage | null)[] = [
  null,
  { name: 'small', sizeMb: 200 },
  { name: 'large', sizeMb: 400 },
  { name: 'huge', sizeMb: 1400 },
];

const machine = (site: SiteSpec): fc.Arbitrary<Amounts> => {
  const single = fc.constantFrom(100, 50, 100, 100, 10, 150, 0);
  const cpu: fc.Arbitrary<number | number[]> = isMultiInstance(site)
    ? fc.oneof(fc.constantFrom(50, 100, 30), fc.array(fc.constantFrom(50, 100, 30), { minLength: 1, maxLength: 2 }))
    : single;
  const licences = site.resourceTypes.includes('Licence') ? fc.constantFrom(0, 1, 2) : fc.constant(0);
  return fc
    .record({ CPU: cpu, Memory: fc.constantFrom(256, 512, 64, 512, 1024), licences })
    .map(({ licences: wanted, ...amounts }) => (wanted > 0 ? { ...amounts, Licence: wanted } : amounts));
};

/** Mostly equal machines, sometimes different ones. */
const machines = (site: SiteSpec): fc.Arbitrary<Amounts[]> => {
  const most = Math.max(1, site.nodes.length);
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .tuple(machine(site), fc.integer({ min: 1, max: most }))
        .map(([amounts, count]) => new Array<Amounts>(count).fill(amounts)),
    },
    fc.array(machine(site), { minLength: 1, maxLength: most }),
  );
};

const durations = seconds(600, 600, 1800, 3600, 300, 900, 61, 10, 2, 1);

export const leaseRequests = (site: SiteSpec, at: Instant): fc.Arbitrary<LeaseRequest> =>
  fc
    .record({
      type: fc.constantFrom<LeaseType[]>(
        'BEST_EFFORT',
        'BEST_EFFORT',
        'ADVANCE_RESERVATION',
        'BEST_EFFORT',
        'ADVANCE_RESERVATION',
        'IMMEDIATE',
      ),
      machines: machines(site),
      duration: durations,
      /** A percentage of the duration. */
      known: fc.constantFrom(null, null, 50, 80, 0, 1, 99, 100, 150),
      wait: seconds(600, 200, 900, 1800, 30, 1, 0),
      preemptible: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
      image: fc.constantFrom(...images),
    })
    .map(({ known, wait, ...request }) => ({
      ...request,
      type: request.type as LeaseRequest['type'],
      knownDuration: known === null ? null : Math.ceil((request.duration / SECOND) * (known / 100)) * SECOND,
      start: request.type === 'ADVANCE_RESERVATION' ? at + wait : null,
    }));

/** Gaps between arrivals; many requests arrive together. */
const gaps: fc.Arbitrary<Millis> = seconds(0, 0, 1, 7, 60, 60, 300, 900);

/** A realistic date, so that instants have a realistic size. */
export const START: Instant = 1_164_459_600_000;

export const scenarios = (
  options: {
    readonly configs?: fc.Arbitrary<SchedulerConfig>;
    readonly change?: (request: LeaseRequest) => LeaseRequest;
    readonly cancellations?: boolean;
  } = {},
): fc.Arbitrary<Scenario> =>
  fc
    .tuple(sites, options.configs ?? configs, fc.array(gaps, { minLength: 1, maxLength: 14, size: 'max' }))
    .chain(([site, config, waits]) => {
      let at = START;
      const arrivals = waits.map((wait) => {
        at += wait;
        return at;
      });
      const requests = fc.tuple(...arrivals.map((arrival) => leaseRequests(site, arrival))).map((made) =>
        made.map((request, index) => ({
          at: arrivals[index] as Instant,
          request: { id: index + 1, ...(options.change?.(request) ?? request) },
        })),
      );
      const cancellation = fc.record({
        at: fc.nat({ max: 5000 }).map((second) => START + second * SECOND),
        leaseId: fc.integer({ min: 1, max: waits.length + 1 }),
      });
      const cancellations =
        (options.cancellations ?? true)
          ? fc.array(cancellation, { maxLength: 3 }).map((all) => all.sort((a, b) => a.at - b.at))
          : fc.constant([]);
      return fc.record({ site: fc.constant(site), config: fc.constant(config), requests, cancellations });
    });

/**
 * Many similar leases that only need a free node, on few nodes. Most of them end early and some are cancelled, so
 * that plans often move forward.
 */
export const crowds: fc.Arbitrary<Scenario> = fc
  .record({
    nodes: fc.integer({ min: 2, max: 5 }),
    config: plainConfigs,
    preemption: fc.constantFrom('no-preemption', 'ar-preempts-everything'),
    leases: fc.array(
      fc.record({
        gap: seconds(0, 1, 10, 50),
        type: fc.constantFrom<LeaseType[]>('BEST_EFFORT', 'BEST_EFFORT', 'BEST_EFFORT', 'ADVANCE_RESERVATION'),
        count: fc.integer({ min: 1, max: 5 }),
        cpu: fc.constantFrom(100, 50, 30),
        duration: seconds(60, 100, 120, 200, 300, 500),
        knownShare: fc.constantFrom(null, 0.5, 0.25),
        wait: seconds(50, 100, 200, 400),
      }),
      { minLength: 1, maxLength: 30, size: 'max' },
    ),
    cancelled: fc.array(fc.tuple(fc.nat({ max: 1500 }), fc.integer({ min: 1, max: 30 })), { maxLength: 6 }),
  })
  .map(({ nodes, config, preemption, leases, cancelled }) => {
    let at = START;
    return {
      site: {
        resourceTypes: ['CPU', 'Memory'],
        nodes: Array.from({ length: nodes }, (_, index) => ({
          number: index + 1,
          hostname: `node-${index + 1}`,
          capacity: { CPU: 100, Memory: 1024 },
        })),
      },
      config: { ...config, preemption },
      requests: leases.map(({ gap, type, count, cpu, duration, knownShare, wait }, index) => {
        at += gap;
        return {
          at,
          request: {
            id: index + 1,
            type,
            machines: new Array<Amounts>(Math.min(count, nodes)).fill({ CPU: cpu, Memory: 64 }),
            duration,
            knownDuration: knownShare === null ? null : duration * knownShare,
            start: type === 'ADVANCE_RESERVATION' ? at + wait : null,
            preemptible: true,
          },
        };
      }),
      cancellations: cancelled
        .map(([second, leaseId]) => ({ at: START + second * SECOND, leaseId }))
        .sort((a, b) => a.at - b.at),
    };
  });
