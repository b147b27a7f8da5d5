/** What is recorded of a command. */
import { fieldsOf } from './commands/shape.ts';

/** What an audit record says of the caller, beside the principal. */
export interface AuditNote {
  readonly role: string;
  readonly mutation: string;
  readonly requestId: string;
  /** What is to be changed, as a global id; null when the command makes it. */
  readonly subject: string | null;
}

export interface AuditRecord extends AuditNote {
  readonly principal: string;
  /** OK, DRY_RUN, or the code of the first error. */
  readonly outcome: string;
}

/** Opaque, and unique over all types. */
export function encodeGlobalId(typename: string, number: string | number | bigint): string {
  return Buffer.from(`${typename}:${number}`).toString('base64');
}

/** Checks what another server forwarded; null for anything else. */
export function parseAuditNote(value: unknown): AuditNote | null {
  const { mutation, requestId, role, subject } = fieldsOf(value) ?? {};
  if (typeof mutation !== 'string' || typeof requestId !== 'string' || typeof role !== 'string') return null;
  return { mutation, requestId, role, subject: typeof subject === 'string' ? subject : null };
}
