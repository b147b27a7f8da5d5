import { StoreError } from '../engine/ports.ts';
import type { ConnectionSettings } from './database-url.ts';
import { codeOf, describe, kindOf } from './errors.ts';

/** Explains why the server cannot be used and what to do. */
export function connectionFailure(error: unknown, settings: ConnectionSettings): StoreError {
  if (error instanceof StoreError) return error;
  const { target } = settings;
  const message = `Cannot use ${target}: ${reasonFor(error)}. ${adviceFor(error, settings)}`;
  return new StoreError(kindOf(error), message.trim(), { cause: error });
}

/** Whether TLS was requested from a server without TLS. */
export function lacksTls(error: unknown): boolean {
  return error instanceof Error && error.message.includes('does not support SSL');
}

const withoutPassword = (error: unknown) => error instanceof Error && error.message.includes('client password must be');

function reasonFor(error: unknown): string {
  if (withoutPassword(error)) return 'it asks for a password, and none is given';
  return lacksTls(error) ? 'the server does not support TLS' : describe(error);
}

function adviceFor(error: unknown, { config }: ConnectionSettings): string {
  if (lacksTls(error)) return 'Use sslmode=disable in DATABASE_URL, or enable TLS on the server.';
  const code = withoutPassword(error) ? '28P01' : codeOf(error);
  switch (code) {
    case '28P01':
    case '28000':
      return `Check the user (${config.user ?? 'none given'}) and the password in DATABASE_URL.`;
    case '3D000':
      return `Create it (createdb ${config.database ?? ''}), or name another one in DATABASE_URL.`;
    case '42501':
      return 'The user needs the right to create and change tables in the schema.';
    case '42704':
    case '22023':
      return 'Check the options in DATABASE_URL.';
    case '53300':
      return 'Raise the limit, or lower connection_limit in the DATABASE_URL of each server.';
    case 'ECONNREFUSED':
    case 'ENOENT':
    case 'ENOTFOUND':
    case 'EHOSTUNREACH':
    case 'ETIMEDOUT':
      return 'Is the server running, and is the address in DATABASE_URL right?';
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
      return "Name the certificate of the server's authority with sslrootcert, or use sslmode=require, which verifies nothing.";
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return 'The certificate is for another host name: connect to that name, or use sslmode=verify-ca.';
    default:
      return '';
  }
}
