import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { StoreError } from '../engine/ports.ts';

/** As in PostgreSQL, except `allow`; `no-verify` is what the Node.js driver calls `require`. */
const modes = ['disable', 'prefer', 'require', 'no-verify', 'verify-ca', 'verify-full'];

export interface TlsSettings {
  /** Options for the driver; false disables TLS. */
  readonly ssl: ConnectionOptions | false;
  /** Whether to continue without TLS if the server does not support it. */
  readonly optional: boolean;
}

/**
 * TLS modes as in libpq: `require` encrypts without verification unless a root certificate is given, `verify-ca`
 * verifies the server's certificate, `verify-full` also its host name. Throws StoreError for an unknown mode and for an
 * unreadable file.
 */
export function tlsSettings(parameters: ReadonlyMap<string, string>): TlsSettings {
  const mode = parameters.get('sslmode') ?? 'disable';
  if (!modes.includes(mode)) {
    throw new StoreError(
      'PERMANENT',
      `DATABASE_URL has sslmode=${mode}, which is not supported. Use one of ${modes.join(', ')}.`,
    );
  }
  const root = parameters.get('sslrootcert');
  const files = {
    ca: root === 'system' ? undefined : contentOf('sslrootcert', root),
    cert: contentOf('sslcert', parameters.get('sslcert')),
    key: contentOf('sslkey', parameters.get('sslkey')),
  };
  if (mode === 'disable') return { ssl: false, optional: false };
  const given = Object.fromEntries(Object.entries(files).filter(([, content]) => content !== undefined));
  const verifies = mode.startsWith('verify') || (mode === 'require' && root !== undefined);
  if (!verifies) return { ssl: { ...given, rejectUnauthorized: false }, optional: mode === 'prefer' };
  const anyHost = mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined };
  return { ssl: { ...given, ...anyHost, rejectUnauthorized: true }, optional: false };
}

function contentOf(parameter: string, path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StoreError('PERMANENT', `${path}, which ${parameter} in DATABASE_URL names, cannot be read: ${code}.`);
  }
}
