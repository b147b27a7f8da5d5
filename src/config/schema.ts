import * as z from 'zod';
import { defaultSchedulerConfig, type Millis, type SchedulerConfig } from '../core/index.ts';
import { networkOf } from '../notices/addresses.ts';
import { defaultServerLimits } from '../server/limits.ts';
import { adapter } from './adapter.ts';
import { libraries } from './libraries.ts';
import { amount, count, defined, duration, instant, name, timer } from './values.ts';

const capacity = () =>
  z
    .record(name, z.union([amount, z.array(amount).min(1)], { error: 'expected a whole number, or a list of them' }))
    .refine((types) => 'CPU' in types && 'Memory' in types, 'expected CPU and Memory among the keys');

const nodeSet = () =>
  z.strictObject({
    count: count.max(100_000).default(1),
    /** For a set of several, %d is replaced by the node's number. */
    hostname: name.optional(),
    /** As hostname. */
    address: name.optional(),
    labels: z.record(name, name).optional(),
    capacity: capacity(),
  });

export const siteSchema = () =>
  z.strictObject({
    name: name.default('default'),
    resourceTypes: z.array(name).min(1).optional(),
    nodes: z.array(nodeSet()).min(1),
  });

const { imageTransfer: transferDefaults, ...schedulerDefaults } = defaultSchedulerConfig;

/** Names and meanings are SchedulerConfig's; what is not given is its default. */
const scheduler = () =>
  z
    .strictObject({
      admission: z.string(),
      hostSelection: z.string(),
      preemption: z.string(),
      backfilling: z.enum(['off', 'aggressive', 'intermediate', 'conservative']),
      backfillingReservations: z.number().int().min(0),
      suspension: z.enum(['none', 'serial-only', 'all']),
      suspendRate: z.number().positive(),
      resumeRate: z.number().positive(),
      suspendResumeExclusion: z.enum(['local', 'global']),
      overrideSuspendTime: duration.nullable(),
      overrideResumeTime: duration.nullable(),
      schedulingThresholdFactor: z.number().min(0),
      forceSchedulingThreshold: duration.nullable(),
      migration: z.enum(['no', 'yes', 'yes-notransfer']),
      shutdownTime: duration,
      enactmentOverhead: duration,
      preparation: z.enum(['unmanaged', 'imagetransfer']),
      leaseFailureHandling: z.enum(['cancel', 'exit', 'exit-raise']),
      nodeFailure: z.enum(['requeue', 'fail']),
      preemptionLimit: z.number().int().min(0).nullable(),
      preemptionExemptTime: duration,
      preemptionPeace: duration.nullable(),
      stopVictims: z.enum(['at-once', 'when-needed']),
      imageTransfer: z
        .strictObject({
          bandwidth: z.number().positive(),
          mechanism: z.enum(['unicast', 'multicast']),
          avoidRedundantTransfers: z.boolean(),
          forceTransferTime: duration.nullable(),
          reuse: z.enum(['none', 'image-caches']),
          cacheSizeMb: z.number().int().min(-1),
        })
        .partial(),
    })
    .partial()
    .transform(
      ({ imageTransfer, ...given }): SchedulerConfig => ({
        ...schedulerDefaults,
        ...defined(given),
        imageTransfer: { ...transferDefaults, ...defined(imageTransfer ?? {}) },
      }),
    );

const limits = () =>
  z
    .strictObject({
      bodyBytes: count,
      tokens: count,
      depth: count,
      aliases: count,
      variableDepth: count.max(1_000, 'expected at most 1000'),
      cost: count,
      costBurst: count,
      costPerSecond: count,
      costBurstPerAddress: count,
      costPerSecondPerAddress: count,
      operationsPerConnection: count,
      operationTimeout: timer.refine((millis) => millis > 0, 'expected more than 0'),
      concurrentReads: count,
      cachedBytes: amount,
      pipelinedRequests: count,
      writeTimeout: timer.refine((millis) => millis > 0, 'expected more than 0'),
    })
    .partial()
    .transform((given) => ({ ...defaultServerLimits, ...defined(given) }));

const origin = () =>
  z
    .string()
    .refine(
      (value) => value === '*' || (URL.canParse(value) && new URL(value).origin === value),
      'expected an origin such as https://console.example.org, or "*" for any',
    );

const network = () =>
  z.string().refine((text) => networkOf(text) !== null, 'expected an address or a network such as 10.1.0.0/16');

const http = () =>
  z.strictObject({
    cors: z.strictObject({ origins: z.array(origin()).default([]) }).prefault({}),
    /** Proxies whose X-Forwarded-For says from which address a request comes. */
    trustedProxies: z.array(network()).default([]),
    persistedDocuments: z
      .strictObject({
        /** Counts from the file's directory. */
        manifest: z.string().nullable().default(null),
        only: z.boolean().default(false),
      })
      .refine(({ manifest, only }) => manifest !== null || !only, '"only" needs a "manifest"')
      .prefault({}),
  });

const role = () => z.enum(['VIEWER', 'USER', 'OPERATOR', 'ADMIN']);
const url = () => z.string().refine((value) => URL.canParse(value), 'expected a URL');

const identity = () =>
  z.strictObject({
    /** What principals see of leases that are not theirs: when nodes are busy, or everything. */
    visibility: z.enum(['projects', 'all']).default('projects'),
    openIdConnect: z
      .strictObject({
        issuer: url(),
        audience: z.string().min(1),
        jwksUri: url().nullable().default(null),
        nameClaim: z.string().min(1).default('sub'),
        roleClaim: z.string().min(1).default('roles'),
        projectClaim: z.string().min(1).nullable().default(null),
        roles: z.record(z.string(), role()).default({}),
        defaultRole: role().nullable().default(null),
        console: z
          .strictObject({
            clientId: z.string().min(1),
            scope: z.string().min(1).default('openid profile'),
            resource: z.string().min(1).nullable().default(null),
          })
          .nullable()
          .default(null),
      })
      .nullable()
      .default(null),
  });

/** Accounting probes of a simulation. */
export const probeNames = [
  'ar',
  'immediate',
  'best-effort',
  'cpu-utilization',
  'disk-usage',
  'lease',
  'lease-extras',
] as const;

/** Limits for the leases of one user of a trace; `*`: of each user. */
const userQuota = () =>
  z.strictObject({
    user: name,
    type: name,
    amount: amount.nullable().default(null),
    amountHours: z.number().min(0).nullable().default(null),
    period: duration.nullable().default(null),
    maxDuration: duration.nullable().default(null),
    maxLeases: amount.nullable().default(null),
  });

/** How a trace is run; only the first key concerns a server. Paths are relative to the directory of the file. */
const simulation = () =>
  z.strictObject({
    acceptKnownDurations: z.boolean().default(false),
    startTime: instant.default(0),
    stopWhen: z.enum(['all-leases-done', 'besteffort-submitted', 'besteffort-done']).default('all-leases-done'),
    overheads: z
      .strictObject({
        applyTo: z.enum(['none', 'besteffort', 'all']).default('none'),
        /** Percent. */
        runtimeSlowdown: z.number().min(0).default(0),
        bootShutdown: duration.default(0),
      })
      .prefault({}),
    /** MB. */
    overrideMemory: amount.nullable().default(null),
    quotas: z.array(userQuota()).default([]),
    probes: z.array(z.enum(probeNames)).default([]),
    attributes: z.record(z.string(), z.coerce.string()).default({}),
    /** A file with a `<site>` in LWF. */
    siteFile: z.string().nullable().default(null),
    trace: z.string().nullable().default(null),
    inject: z.string().nullable().default(null),
    images: z.string().nullable().default(null),
    output: z.string().nullable().default(null),
  });

const operations = ['prepare', 'start', 'shutdown', 'suspend', 'resume', 'migrate', 'destroy'] as const;

/** How long finished records are kept; null: forever. */
const kept = (defaultRetention: Millis | null) =>
  z.strictObject({ retention: duration.nullable().default(defaultRetention) }).prefault({});

/**
 * The sections of the native configuration file, of servers and of simulations (docs/configuration.md). Each schema is
 * made when it is first needed: to make all of them takes longer than a short simulation.
 */
const sections = {
  site: () => siteSchema().optional(),
  scheduler: () => scheduler().prefault({}),
  clock: () => z.strictObject({ speed: z.number().positive().max(1_000_000).default(1) }).prefault({}),
  adapter: () => adapter().optional(),
  /** Several, each for its nodes; the first that fits drives a node. */
  adapters: () => z.array(adapter()).min(1).optional(),
  hosts: () =>
    z
      .strictObject({
        /** Inspection interval of hosts. */
        inspectInterval: timer.refine((millis) => millis > 0, 'expected more than 0').default(10_000),
        /** Operations on one host at the same time. */
        concurrentCalls: count.default(8),
        /** How long one kind of operation may take, waiting for its node included. */
        timeouts: z.partialRecord(z.enum(operations), timer).default({}),
        /** Number of consecutive failures after which an unreachable host is marked DOWN. */
        maxFailures: count.default(3),
        /** What becomes of a lease one of whose machines cannot be started. */
        startFailure: z.enum(['fail', 'move']).default('fail'),
        /** How long starts on a node are suspended after a failed start whose lease was moved. */
        startFailurePause: timer.default(10 * 60_000),
        /** Whether machines that belong to no lease are removed, or only reported. */
        removeStrays: z.boolean().default(false),
      })
      .prefault({}),
  recurrences: () =>
    z
      .strictObject({
        /** How long before it starts an occurrence becomes a lease. */
        horizon: duration
          .refine((millis) => millis > 0 && millis <= 366 * 86_400_000, 'expected more than 0 and at most 366d')
          .default(30 * 86_400_000),
        /** Recurrences of a project, or of a principal without one, with occurrences to come. */
        maxPerProject: count.default(100),
      })
      .prefault({}),
  events: () => kept(null),
  notices: () =>
    z
      .strictObject({
        retention: duration.nullable().default(null),
        /** How long before the end of a lease, and before the start of maintenance, a notice is given; null: never. */
        endNotice: duration.nullable().default(10 * 60_000),
        maintenanceNotice: duration.nullable().default(3_600_000),
      })
      .prefault({}),
  webhooks: () =>
    z
      .strictObject({
        /** Networks that webhooks may call although they are not public, such as 10.1.0.0/16. */
        allowedNetworks: z
          .array(z.string().refine((text) => networkOf(text) !== null, 'expected a network such as 10.1.0.0/16'))
          .default([]),
        allowHttp: z.boolean().default(false),
        /** For one attempt. */
        timeout: timer.refine((millis) => millis > 0, 'expected more than 0').default(10_000),
        /** Before the second attempt; doubled before each further one. */
        retryDelay: timer.refine((millis) => millis > 0, 'expected more than 0').default(5_000),
        maxRetryDelay: timer.default(3_600_000),
        /** Attempts of one delivery after which its webhook is paused. */
        maxAttempts: count.default(15),
        concurrency: count.default(16),
        concurrencyPerWebhook: count.default(4),
      })
      .prefault({}),
  actions: () => kept(30 * 86_400_000),
  leases: () => kept(null),
  idempotencyKeys: () => kept(null),
  audit: () => kept(null),
  identity: () => identity().prefault({}),
  limits: () => limits().prefault({}),
  http: () => http().prefault({}),
  /** In which people of the site tell the time. It is only shown; what is written down is in UTC. */
  timeZone: () =>
    z
      .string()
      .refine((zone) => libraries.luxon.IANAZone.isValidZone(zone), 'expected an IANA time zone such as Europe/Berlin')
      .default('UTC'),
  simulation: () => simulation().prefault({}),
};

type Sections = typeof sections;
type Section = keyof Sections;

export type FileConfig = z.output<z.ZodObject<{ [K in Section]: ReturnType<Sections[K]> }>>;

/** The schema of a file in which only these sections are known. */
export function fileSchema<K extends Section = Section>(
  keys: readonly K[] = Object.keys(sections) as K[],
): z.ZodObject<{ [Key in K]: ReturnType<Sections[Key]> }, z.core.$strict> {
  const shape = Object.fromEntries(keys.map((key) => [key, sections[key]()]));
  return z.strictObject(shape as { [Key in K]: ReturnType<Sections[Key]> });
}
