/** Audit records of accepted commands. They are written in the same transaction as the changes. */
import { type AuditRecord, encodeGlobalId } from './audit-note.ts';
import type { Answer } from './commands/answer.ts';
import type { Command } from './commands/command.ts';
import { fieldsOf } from './commands/shape.ts';
import type { CommandItem, RefusedItem } from './inbox.ts';

/** Null for a refused command and for a command without an audit record. */
export function auditRecordOf({ audit, principal }: Command, answer: Answer): AuditRecord | null {
  if (!audit || !('result' in answer)) return null;
  const leaseNumber = fieldsOf(answer.result)?.leaseNumber;
  const made = typeof leaseNumber === 'number' ? encodeGlobalId('Lease', leaseNumber) : null;
  return { ...audit, subject: audit.subject ?? made, principal, outcome: 'OK' };
}

export function auditRecordsOf(
  answers: readonly { readonly item: CommandItem | RefusedItem; readonly answer: Answer }[],
): readonly AuditRecord[] {
  return answers.flatMap(
    ({ item, answer }) => (item.type === 'command' ? auditRecordOf(item.command, answer) : null) ?? [],
  );
}
