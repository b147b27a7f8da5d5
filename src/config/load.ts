import { resolve } from 'node:path';
import * as z from 'zod';
import { ConfigurationError, configurationError } from './error.ts';
import { type Configuration, checked, emptyDraft, isIni, parseYaml, readText } from './file.ts';

/** `site` null: the stored site, or the demonstration site where there is none. */
export interface ServerConfig extends Configuration {
  /** Null: embedded. */
  readonly databaseUrl: string | null;
  readonly dataDir: string;
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** Null: made at the first start. */
  readonly adminToken: string | null;
  /** Encrypts secrets of webhooks in the database: 32 bytes. Null: they are kept as they are. */
  readonly secretsKey: Uint8Array | null;
  readonly logLevel: string;
  /** `api`: answers and subscriptions only; another process schedules. */
  readonly role: 'all' | 'api';
  /** Whether a configured site that differs from the stored one is applied at the start; `prune`: removals included. */
  readonly applySite: 'no' | 'apply' | 'prune';
  /** Processes that answer on the port beside the one that schedules; 0: one process does both. */
  readonly apiWorkers: number;
}

export type Environment = Readonly<Record<string, string | undefined>>;

function text(fallback: string) {
  return z.string().trim().min(1).default(fallback);
}

const environmentSchema = z.object({
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'expected a URL such as postgresql://user@host:5432/database')
    .optional(),
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, 'expected a port number')
    .transform(Number)
    .refine((port) => port <= 65_535, 'expected a port number of at most 65535')
    .default(4000),
  HOST: text('127.0.0.1'),
  LEASEGRAPH_DATA_DIR: text('./data'),
  LEASEGRAPH_CONFIG: z.string().optional(),
  LEASEGRAPH_ADMIN_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'expected printable ASCII characters without blanks')
    .optional(),
  LEASEGRAPH_SECRETS_KEY: z.string().optional(),
  LEASEGRAPH_SECRETS_KEY_FILE: z.string().optional(),
  LEASEGRAPH_LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'expected fatal, error, warn, info, debug, trace or silent',
    })
    .default('info'),
  LEASEGRAPH_ROLE: z.enum(['all', 'api'], { error: 'expected all or api' }).default('all'),
  LEASEGRAPH_APPLY_SITE: z.enum(['no', 'apply', 'prune'], { error: 'expected no, apply or prune' }).default('no'),
  LEASEGRAPH_API_WORKERS: z
    .string()
    .regex(/^\d{1,3}$/, 'expected a number of processes, at most 999')
    .transform(Number)
    .default(0),
});

/** Reads the configuration of a server from its environment and the file named there. Throws ConfigurationError. */
export function loadConfiguration(environment: Environment): ServerConfig {
  // An empty variable counts as unset.
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = environmentSchema.safeParse(given, { jitless: true });
  if (!parsed.success) {
    const origin = { file: 'environment', line: null, name: null };
    throw configurationError(
      parsed.error,
      () => [],
      () => origin,
    );
  }
  const variables = parsed.data;
  if (variables.LEASEGRAPH_ROLE === 'api' && variables.DATABASE_URL === undefined) {
    throw new ConfigurationError(
      'INVALID_VALUE',
      'environment: the role api needs DATABASE_URL, the database of the server that schedules',
    );
  }
  const file = variables.LEASEGRAPH_CONFIG
    ? readConfigurationFile(variables.LEASEGRAPH_CONFIG)
    : defaultConfiguration();
  return {
    ...file,
    scheduler: serverScheduler(file),
    databaseUrl: variables.DATABASE_URL ?? null,
    dataDir: resolve(variables.LEASEGRAPH_DATA_DIR),
    host: variables.HOST,
    port: variables.PORT,
    adminToken: variables.LEASEGRAPH_ADMIN_TOKEN ?? null,
    secretsKey: secretsKey(variables.LEASEGRAPH_SECRETS_KEY, variables.LEASEGRAPH_SECRETS_KEY_FILE),
    logLevel: variables.LEASEGRAPH_LOG_LEVEL,
    role: variables.LEASEGRAPH_ROLE,
    applySite: variables.LEASEGRAPH_APPLY_SITE,
    apiWorkers: variables.LEASEGRAPH_API_WORKERS,
  };
}

/** The key that is given, or read from a file; null without one. Throws ConfigurationError. */
function secretsKey(given: string | undefined, file: string | undefined): Uint8Array | null {
  if (given !== undefined && file !== undefined) {
    throw new ConfigurationError(
      'INVALID_VALUE',
      'environment: LEASEGRAPH_SECRETS_KEY and LEASEGRAPH_SECRETS_KEY_FILE are both set; set one of them',
    );
  }
  const text = given ?? (file === undefined ? undefined : readText(file).trim());
  if (text === undefined) return null;
  const key = /^[\da-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64');
  const isWhole = key.length === 32 && /^(?:[\da-f]{64}|[\w+/-]{43}=?)$/i.test(text);
  // The key itself is not shown.
  if (isWhole) return new Uint8Array(key);
  throw new ConfigurationError(
    'INVALID_VALUE',
    `${file ?? 'environment: LEASEGRAPH_SECRETS_KEY'}: expected a key of 32 bytes in base64 or hexadecimal, as "openssl rand -base64 32" prints it`,
  );
}

/** What an operation of a host takes at least in plans: one that is planned to take no time cannot be extended. */
const minOperationTime = 1_000;

/** The options of the scheduler that a server uses: hosts take time where the configuration gives none. */
export function serverScheduler({ adapters, scheduler }: Configuration): Configuration['scheduler'] {
  if (adapters.every(takesNoTime)) return scheduler;
  const atLeast = (time: number): number => Math.max(time, minOperationTime);
  const { overrideResumeTime, overrideSuspendTime, shutdownTime } = scheduler;
  return {
    ...scheduler,
    shutdownTime: atLeast(shutdownTime),
    overrideSuspendTime: overrideSuspendTime === null ? null : atLeast(overrideSuspendTime),
    overrideResumeTime: overrideResumeTime === null ? null : atLeast(overrideResumeTime),
  };
}

function takesNoTime(adapter: Configuration['adapters'][number]): boolean {
  if (adapter.kind === 'dry-run') return true;
  return adapter.kind === 'simulated' && adapter.delays === undefined && !adapter.stuckProbability;
}

/** The configuration without a file. */
export function defaultConfiguration(): Configuration {
  return checked(emptyDraft, []);
}

/** An adapter of which only this is said. Throws ConfigurationError. */
export function defaultAdapter(adapter: Record<string, unknown>): Configuration['adapters'][number] {
  const [only] = checked({ ...emptyDraft, values: { adapter } }, []).adapters;
  if (!only) throw new Error('an adapter was given');
  return only;
}

/** Reads a configuration file in YAML or JSON. Throws ConfigurationError. */
export function readConfigurationFile(path: string): Configuration {
  const text = readText(path);
  if (!isIni(text)) return checked(parseYaml(path, text), []);
  throw new ConfigurationError(
    'NOT_WELL_FORMED',
    `${path}: is in Haizea's form, which only simulations read; expected YAML or JSON such as "scheduler: { suspension: all }"`,
  );
}
