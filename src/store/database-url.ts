import type { ClientConfig } from 'pg';
import { StoreError } from '../engine/ports.ts';
import { managedSettings } from './session.ts';
import { tlsSettings } from './tls.ts';

/** How to reach the server, and its name in messages, without the password. */
export interface ConnectionSettings {
  readonly config: ClientConfig;
  readonly target: string;
  readonly schema: string;
  /** PostgreSQL settings from the URL (`options`). */
  readonly session: Readonly<Record<string, string>>;
  /** Maximum number of connections for queries. */
  readonly poolSize: number;
  /** How long a query waits for a connection (ms). */
  readonly poolTimeout: number;
  /** Whether to continue without TLS if the server does not support it. */
  readonly tlsOptional: boolean;
}

/** Defaults for a URL. */
export const defaultSettings: ConnectionSettings = {
  config: {
    port: 5432,
    application_name: 'leasegraph',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    ssl: false,
  },
  target: 'the database',
  schema: 'public',
  session: {},
  poolSize: 10,
  poolTimeout: 10_000,
  tlsOptional: false,
};

const example = 'such as postgresql://user:password@localhost:5432/leasegraph';

/** Supported URL parameters besides the server's address, with their aliases. */
const supported = [
  'application_name',
  'channel_binding',
  'client_encoding',
  'connect_timeout',
  'connection_limit',
  'host',
  'options',
  'pgbouncer',
  'pool_timeout',
  'port',
  'schema',
  'sslcert',
  'sslkey',
  'sslmode',
  'sslrootcert',
  'uselibpqcompat',
];

/**
 * Throws StoreError for a text that is not a PostgreSQL URL and for an unsupported parameter. Never quotes the
 * password.
 */
export function connectionSettings(databaseUrl: string): ConnectionSettings {
  const url = parsed(databaseUrl);
  const parameters = parametersOf(url);
  refuseUnsupported(parameters);
  const { ssl, optional } = tlsSettings(parameters);
  const database = decoded(url.pathname.slice(1));
  const user = decoded(url.username);
  const host = parameters.get('host') ?? (url.hostname === noHost ? 'localhost' : decoded(url.hostname));
  const port = wholeNumber(parameters, 'port', Number(url.port || 5432), 65_535);
  const config: ClientConfig = {
    ...defaultSettings.config,
    host: host.replace(/^\[(.*)\]$/, '$1'),
    port,
    ...(user !== '' && { user }),
    ...(url.password !== '' && { password: decoded(url.password) }),
    ...(database !== '' && { database }),
    ssl,
    ...(parameters.has('application_name') && { application_name: parameters.get('application_name') }),
    connectionTimeoutMillis: 1_000 * wholeNumber(parameters, 'connect_timeout', 5, 3_600),
    ...(parameters.get('channel_binding') === 'require' && { enableChannelBinding: true }),
  };
  const place = host.startsWith('/') ? `in ${host}` : `at ${host}:${port}`;
  return {
    config,
    target: `the database "${database || user}" ${place}`,
    schema: parameters.get('schema') ?? 'public',
    session: settingsIn(parameters.get('options') ?? ''),
    poolSize: wholeNumber(parameters, 'connection_limit', 10, 10_000),
    poolTimeout: 1_000 * wholeNumber(parameters, 'pool_timeout', 10, 3_600),
    tlsOptional: optional,
  };
}

/** The host of a URL that has none: the URL parser of Node.js requires a host if there is a user. */
const noHost = 'none.invalid';

function parsed(databaseUrl: string): URL {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(databaseUrl)?.[1] ?? '';
  if (!['postgres', 'postgresql'].includes(scheme.toLowerCase())) {
    const found = scheme === '' ? 'it has no scheme' : `it begins with "${scheme}:"`;
    throw refusal(`must be a PostgreSQL URL ${example}, but ${found}.`);
  }
  const [, authority = '', rest = ''] = /^[^:]*:\/\/([^/?#]*)(.*)$/s.exec(databaseUrl) ?? [];
  if (rest.includes('@') || rest.includes('#') || /^\/[^?]*\//.test(rest)) throw notEncoded();
  if (authority.slice(authority.lastIndexOf('@') + 1).includes(',')) {
    throw refusal('names several hosts; only one is supported. Name the primary server, or a proxy that finds it.');
  }
  const withHost = /^$|@$/.test(authority) ? `${authority}${noHost}` : authority;
  try {
    return new URL(`postgresql://${withHost}${rest}`);
  } catch {
    // The parser's own message would quote the URL with the password.
    throw refusal(`is not a well-formed PostgreSQL URL ${example}. ${encoding}`);
  }
}

const encoding =
  'Special characters, for example in the password, must be percent-encoded: @ as %40, / as %2F, # as %23, ? as %3F, % as %25.';

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw notEncoded();
  }
}

const notEncoded = () => refusal(`has a special character that is not encoded. ${encoding}`);

function refusal(why: string): StoreError {
  return new StoreError('PERMANENT', `DATABASE_URL ${why}`);
}

function parametersOf({ searchParams }: URL): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const [name, value] of searchParams) {
    if (!supported.includes(name)) {
      throw refusal(`has the parameter "${name}", which is not supported. Supported are ${supported.join(', ')}.`);
    }
    if (parameters.has(name)) throw refusal(`has the parameter "${name}" twice.`);
    parameters.set(name, value);
  }
  return parameters;
}

/** Unsupported values of supported parameters. */
function refuseUnsupported(parameters: ReadonlyMap<string, string>): void {
  const accept = (name: string, pattern: RegExp, why: string) => {
    const value = parameters.get(name);
    if (value !== undefined && !pattern.test(value)) throw refusal(`has ${name}=${value}: ${why}.`);
  };
  accept('client_encoding', /^utf-?8$/i, 'Leasegraph works with UTF8 only');
  accept('channel_binding', /^(disable|prefer|require)$/, 'use disable, prefer or require');
  accept('uselibpqcompat', /^true$/, 'sslmode always means what it means to libpq');
  accept(
    'pgbouncer',
    /^false$/,
    'a pooler in transaction mode is not supported. Use session mode, and leave the parameter out',
  );
  accept('schema', /^.{1,63}$/s, 'name a schema');
}

function wholeNumber(parameters: ReadonlyMap<string, string>, name: string, otherwise: number, max: number): number {
  const text = parameters.get(name);
  if (text === undefined) return otherwise;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 1 && value <= max) return value;
  throw refusal(`has ${name}=${text}: it must be a whole number from 1 to ${max}.`);
}

/** Settings in the forms `-c name=value` and `--name=value`; a backslash escapes the next character. */
function settingsIn(options: string): Record<string, string> {
  const words = (options.match(/(?:\\.|\S)+/gs) ?? []).map((word) => word.replaceAll(/\\(.)/gs, '$1'));
  const settings: Record<string, string> = {};
  for (let at = 0; at < words.length; at++) {
    let word = words[at] ?? '';
    if (word === '-c') word = `-c${words[++at] ?? ''}`;
    const [, name, value] = /^(?:-c|--)([\w.-]+)=(.*)$/s.exec(word) ?? [];
    if (name === undefined || value === undefined) {
      throw refusal('has options that are not of the form "-c name=value".');
    }
    const setting = name.replaceAll('-', '_').toLowerCase();
    if (setting === 'search_path') {
      throw refusal('sets search_path in its options. Name the schema with the parameter "schema" instead.');
    }
    if (managedSettings.has(setting)) {
      throw refusal(`sets ${setting} in its options, which Leasegraph sets itself. Leave it out.`);
    }
    settings[setting] = value;
  }
  return settings;
}
