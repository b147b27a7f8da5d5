import type { ClientConfig } from 'pg';
import { parse } from 'pg-connection-string';
import { StoreError } from '../engine/ports.ts';
import { codeOf, describe, kindOf } from './errors.ts';
import { plannerSettings } from './planner-settings.ts';

/** How to reach the server, and how to speak of it: without the password. */
export interface ConnectionSettings {
  readonly config: ClientConfig;
  readonly target: string;
}

/**
 * What every session needs. Prisma's adapter takes the session's time zone for UTC; Prisma names its tables in `public`,
 * where migrations put them.
 */
const sessionOptions = '-c timezone=UTC -c search_path=public';
/** The URL's own come later, and win. */
const defaultOptions = plannerSettings.map((setting) => `-c ${setting} `).join('');

/** Throws StoreError for a text that is no PostgreSQL URL. */
export function connectionSettings(databaseUrl: string): ConnectionSettings {
  const example = 'such as postgresql://user:password@localhost:5432/leasegraph';
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(databaseUrl)?.[1] ?? '';
  if (!['postgres', 'postgresql', 'socket'].includes(scheme.toLowerCase())) {
    const found = scheme === '' ? 'it has no scheme' : `it begins with "${scheme}:"`;
    throw new StoreError('PERMANENT', `DATABASE_URL must be a PostgreSQL URL ${example}, but ${found}.`);
  }
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(databaseUrl);
  } catch {
    // The parser's own message quotes the URL, and so the password.
    throw new StoreError('PERMANENT', `DATABASE_URL is not a well-formed PostgreSQL URL ${example}.`);
  }
  const given = typeof parsed.options === 'string' ? `${parsed.options} ` : '';
  const config = {
    ...(parsed as unknown as ClientConfig),
    application_name: parsed.application_name ?? 'leasegraph',
    options: defaultOptions + given + sessionOptions,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
  };
  const host = parsed.host || 'localhost';
  const place = host.startsWith('/') ? `in ${host}` : `at ${host}:${parsed.port || 5432}`;
  return { config, target: `the database "${parsed.database ?? parsed.user ?? ''}" ${place}` };
}

/** Why the server could not be used, and what to do about it. */
export function connectionFailure(error: unknown, { target, config }: ConnectionSettings): StoreError {
  const withoutPassword = error instanceof Error && error.message.includes('client password must be');
  const [what, code] = withoutPassword
    ? ['it asks for a password, and none is given', '28P01']
    : [describe(error), codeOf(error)];
  return new StoreError(kindOf(error), `Cannot use ${target}: ${what}. ${adviceFor(code, config)}`.trim(), {
    cause: error,
  });
}

function adviceFor(code: string | null, config: ClientConfig): string {
  switch (code) {
    case '28P01':
    case '28000':
      return `Check the user (${config.user ?? 'none given'}) and the password in DATABASE_URL.`;
    case '3D000':
      return `Create it (createdb ${config.database ?? ''}), or name another one in DATABASE_URL.`;
    case '42501':
      return 'The user needs the right to create and change tables in the schema "public".';
    case 'ECONNREFUSED':
    case 'ENOENT':
    case 'ENOTFOUND':
    case 'EHOSTUNREACH':
    case 'ETIMEDOUT':
      return 'Is the server running, and is the address in DATABASE_URL right?';
    default:
      return '';
  }
}
