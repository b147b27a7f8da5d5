/** Records of commands that were accepted, written in the transaction of what they changed. */
import { type AuditRecord, encodeGlobalId } from './audit-note.ts';
import type { Answer } from './commands/answer.ts';
import type { Command } from './commands/command.ts';
import { fieldsOf } from './commands/shape.ts';
import type { CommandItem, RefusedItem } from './inbox.ts';

/** Null for a command that was refused, or of which nothing is recorded. */
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
