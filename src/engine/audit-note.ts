/** The audit record of a command. */
import { fieldsOf } from './commands/shape.ts';

/** Details of the caller in an audit record, besides the principal. */
export interface AuditNote {
  readonly role: string;
  readonly mutation: string;
  readonly requestId: string;
  /** Global id of the target; null when the command creates it. */
  readonly subject: string | null;
}

export interface AuditRecord extends AuditNote {
  readonly principal: string;
  /** OK, DRY_RUN, or the code of the first error. */
  readonly outcome: string;
}

/** Opaque; unique across all types. */
export function encodeGlobalId(typename: string, number: string | number | bigint): string {
  return Buffer.from(`${typename}:${number}`).toString('base64');
}

/** Parses a record forwarded by another server; null when it is malformed. */
export function parseAuditNote(value: unknown): AuditNote | null {
  const { mutation, requestId, role, subject } = fieldsOf(value) ?? {};
  if (typeof mutation !== 'string' || typeof requestId !== 'string' || typeof role !== 'string') return null;
  return { mutation, requestId, role, subject: typeof subject === 'string' ? subject : null };
}
