import type { Prisma, PrismaClient } from '../store/prisma/client.ts';
import type { Identity } from './identity.ts';

/** A mutation and its outcome. */
export interface AuditRecord {
  readonly identity: Identity;
  readonly mutation: string;
  /** Global id of the changed object; null if none. */
  readonly subject: string | null;
  /** OK, DRY_RUN, or the code of the first error. */
  readonly outcome: string;
  readonly requestId: string;
}

/** Writes the record of a mutation in the transaction of its changes; `subject` is the object's number. */
export type RecordWithin = (transaction: Prisma.TransactionClient, subject: number) => Promise<void>;

/** Milliseconds between two deletions of old records. */
const deleteEvery = 600_000;
const maxRowsPerStatement = 1_000;

export interface AuditOptions {
  /** Retention of records in milliseconds; null means forever. */
  readonly retention: number | null;
  readonly onFailure: (error: unknown, records: readonly AuditRecord[]) => void;
}

function rowOf<R extends AuditRecord>({ identity: { name, role }, ...rest }: R) {
  return { principal: name, role, ...rest };
}

/**
 * Audit records. Records of mutations that changed nothing are written right after the mutation without delaying the
 * answer; records that arrive during a write share the next statement. Failures are reported to `onFailure`. The record
 * of an accepted mutation is written in the transaction of its changes: by the engine with the commit, or through
 * `within`.
 */
export class Audit {
  private waiting: (AuditRecord & { readonly at: Date })[] = [];
  private writing: Promise<void> | null = null;
  private deletedAt = 0;

  constructor(
    private readonly prisma: PrismaClient,
    private readonly options: AuditOptions,
    private readonly clock: () => number = Date.now,
  ) {}

  record(record: AuditRecord): void {
    this.waiting.push({ ...record, at: new Date(this.clock()) });
    this.keepUp();
  }

  /** Writes what waits, and deletes old records; also to be called when a record was written elsewhere. */
  keepUp(): void {
    this.writing ??= this.write().finally(() => {
      this.writing = null;
    });
  }

  /** Rethrows errors of the transaction. */
  async within(transaction: Prisma.TransactionClient, record: AuditRecord): Promise<void> {
    await transaction.auditEntry.create({ data: rowOf(record) });
  }

  /** Resolves when everything recorded so far has been written. */
  async flush(): Promise<void> {
    while (this.writing) await this.writing;
  }

  private async write(): Promise<void> {
    while (this.waiting.length > 0) {
      const records = this.waiting.splice(0, maxRowsPerStatement);
      try {
        await this.prisma.auditEntry.createMany({
          data: records.map(rowOf),
        });
      } catch (error) {
        this.options.onFailure(error, records);
      }
    }
    await this.deleteOld().catch((error: unknown) => this.options.onFailure(error, []));
  }

  private async deleteOld(): Promise<void> {
    const now = this.clock();
    if (this.options.retention === null || now - this.deletedAt < deleteEvery) return;
    this.deletedAt = now;
    await this.prisma.auditEntry.deleteMany({
      where: { at: { lt: new Date(now - this.options.retention) } },
    });
  }
}
