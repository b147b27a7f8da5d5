import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import {
  builtInPolicies,
  type Policies,
  type SchedulerConfig,
  SchedulerError,
  validateConfig,
} from '../core/index.ts';
import { ConfigurationError, problems, wording } from './error.ts';
import { type FileConfig, fileSchema } from './schema.ts';
import { type ConfiguredSite, configuredSite } from './site.ts';

export interface ServerConfig extends Omit<FileConfig, 'site'> {
  /** Null: the stored site, or the demonstration site where there is none. */
  readonly site: ConfiguredSite | null;
  /** Null: embedded. */
  readonly databaseUrl: string | null;
  readonly dataDir: string;
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** Null: made at the first start. */
  readonly adminToken: string | null;
  readonly logLevel: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

const text = (fallback: string) => z.string().trim().min(1).default(fallback);

const environmentSchema = z.object({
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'a URL such as postgresql://user@host:5432/database is needed')
    .optional(),
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, 'a port number is needed')
    .transform(Number)
    .refine((port) => port <= 65_535, 'a port number is at most 65535')
    .default(4000),
  HOST: text('127.0.0.1'),
  LEASEGRAPH_DATA_DIR: text('./data'),
  LEASEGRAPH_CONFIG: z.string().optional(),
  LEASEGRAPH_ADMIN_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'a token has no blanks and only ASCII characters')
    .optional(),
  LEASEGRAPH_LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'one of fatal, error, warn, info, debug, trace, silent is needed',
    })
    .default('info'),
});

/** The server's configuration from its environment and the file that this names. Throws ConfigurationError. */
export function loadConfiguration(environment: Environment): ServerConfig {
  // An empty variable is as one that is not set.
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = environmentSchema.safeParse(given);
  if (!parsed.success) {
    throw new ConfigurationError(`environment: ${problems(parsed.error, () => []).join('; ')}`);
  }
  const variables = parsed.data;
  const { site, ...file } = variables.LEASEGRAPH_CONFIG
    ? readConfigurationFile(variables.LEASEGRAPH_CONFIG)
    : { ...fileSchema.parse({}), site: null };
  return {
    ...file,
    site,
    databaseUrl: variables.DATABASE_URL ?? null,
    dataDir: resolve(variables.LEASEGRAPH_DATA_DIR),
    host: variables.HOST,
    port: variables.PORT,
    adminToken: variables.LEASEGRAPH_ADMIN_TOKEN ?? null,
    logLevel: variables.LEASEGRAPH_LOG_LEVEL,
  };
}

/** A configuration file, YAML or JSON. Throws ConfigurationError. */
export function readConfigurationFile(
  path: string,
): Omit<FileConfig, 'site'> & { readonly site: ConfiguredSite | null } {
  let source: string;
  try {
    source = readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigurationError(`${path}: the configuration cannot be read: ${(error as Error).message}`);
  }
  if (isIni(source)) {
    throw new ConfigurationError(
      `${path}: Haizea's form is for simulations; this has to be YAML or JSON, such as "scheduler: { suspension: all }"`,
    );
  }
  const parsed = fileSchema.safeParse(parseYaml(path, source) ?? {}, { error: wording });
  if (!parsed.success) {
    throw new ConfigurationError(
      problems(parsed.error, keysAt)
        .map((problem) => `${path}: ${problem}`)
        .join('\n'),
    );
  }
  const { site, ...config } = parsed.data;
  return {
    ...config,
    scheduler: checkedScheduler(path, config.scheduler),
    site: site ? configuredSite(path, site) : null,
  };
}

/** Whether it begins as Haizea's configurations do: with a section alone on its line. */
const isIni = (source: string): boolean =>
  /^\[[\w:-]+\]$/.test(
    source
      .split('\n')
      .map((line) => line.trim())
      .find((line) => !/^([#;]|$)/.test(line)) ?? '',
  );

function parseYaml(path: string, source: string): unknown {
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false });
  const [error] = document.errors;
  if (error)
    throw new ConfigurationError(
      `${path}:${lines.linePos(error.pos[0]).line}: not well-formed: ${error.message}`,
    );
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (tooManyAliases) {
    throw new ConfigurationError(`${path}: ${(tooManyAliases as Error).message}`);
  }
}

function checkedScheduler(path: string, scheduler: SchedulerConfig): SchedulerConfig {
  const config: SchedulerConfig = {
    ...scheduler,
    admission: policy(path, 'admission', scheduler),
    hostSelection: policy(path, 'hostSelection', scheduler),
    preemption: policy(path, 'preemption', scheduler),
  };
  try {
    validateConfig(config);
  } catch (error) {
    if (error instanceof SchedulerError) throw new ConfigurationError(`${path}: scheduler.${error.message}`);
    throw error;
  }
  return config;
}

/** A policy by its name, or a module of the user's own, whose path counts from the file's directory. */
function policy(file: string, kind: keyof Policies, { [kind]: name }: SchedulerConfig): string {
  const known = Object.keys(builtInPolicies[kind]);
  if (known.includes(name)) return name;
  if (/[/\\].*\.[cm]?[jt]s$/.test(name)) return resolve(dirname(file), name);
  throw new ConfigurationError(
    `${file}: scheduler.${kind}: ${JSON.stringify(name)} is no policy; there are ${known.join(', ')}, and modules such as ./policy.js`,
  );
}

/** The keys that the file may have at a path. */
function keysAt(path: readonly PropertyKey[]): readonly string[] {
  let nodes = variants(z.toJSONSchema(fileSchema, { io: 'input', unrepresentable: 'any' }));
  for (const part of path) {
    nodes = nodes.flatMap(({ items, properties }) =>
      variants(typeof part === 'number' ? items : properties?.[String(part)]),
    );
  }
  return [...new Set(nodes.flatMap(({ properties }) => Object.keys(properties ?? {})))];
}

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** A schema, or those of which one is to hold. */
const variants = (schema: JsonSchema['items']): readonly JsonSchema[] =>
  typeof schema !== 'object' || Array.isArray(schema)
    ? []
    : [schema, ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap(variants)];
