/** Records of commands that were accepted, written in the transaction of what they changed. */
import type { AuditNote } from './audit-note.ts';
import type { Answer } from './commands/answer.ts';
import type { Command } from './commands/command.ts';
import { fieldsOf } from './commands/shape.ts';

export interface AuditRecord extends AuditNote {
  readonly principal: string;
  /** OK, or the code of the first error. */
  readonly outcome: string;
}

/** Opaque, and unique over all types. */
export function encodeGlobalId(typename: string, number: string | number | bigint): string {
  return Buffer.from(`${typename}:${number}`).toString('base64');
}

/** Null for a command that was refused, or of which nothing is recorded. */
export function auditRecordOf({ audit, principal }: Command, answer: Answer): AuditRecord | null {
  if (!audit || !('result' in answer)) return null;
  const leaseNumber = fieldsOf(answer.result)?.leaseNumber;
  const made = typeof leaseNumber === 'number' ? encodeGlobalId('Lease', leaseNumber) : null;
  return { ...audit, subject: audit.subject ?? made, principal, outcome: 'OK' };
}

/** Checks what another server forwarded; null for anything else. */
export function parseAuditNote(value: unknown): AuditNote | null {
  const { mutation, requestId, role, subject } = fieldsOf(value) ?? {};
  if (typeof mutation !== 'string' || typeof requestId !== 'string' || typeof role !== 'string') return null;
  return { mutation, requestId, role, subject: typeof subject === 'string' ? subject : null };
}
