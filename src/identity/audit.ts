import type { Prisma, PrismaClient } from '../store/prisma/client.ts';
import type { Identity } from './identity.ts';

/** One mutation and how it ended. */
export interface AuditRecord {
  readonly identity: Identity;
  readonly mutation: string;
  /** What was changed, as a global id; null when nothing was. */
  readonly subject: string | null;
  /** OK, DRY_RUN, or the code of the first error. */
  readonly outcome: string;
  readonly requestId: string;
}

/** Writes the record of a mutation in the transaction of what it changes; `subject` is its number. */
export type RecordWithin = (transaction: Prisma.TransactionClient, subject: number) => Promise<void>;

/** Milliseconds between two deletions of old records. */
const deleteEvery = 600_000;
const maxRowsPerStatement = 1_000;

export interface AuditOptions {
  /** Milliseconds for which records are kept; null for ever. */
  readonly retention: number | null;
  readonly onFailure: (error: unknown, records: readonly AuditRecord[]) => void;
}

function rowOf<R extends AuditRecord>({ identity: { name, role }, ...rest }: R) {
  return { principal: name, role, ...rest };
}

/**
 * Records of mutations that changed nothing. They are written right after the mutation, without holding up the answer;
 * records that come while others are being written share a statement. What cannot be written is reported to
 * `onFailure`. The record of a mutation that was accepted is written in the transaction of what it changed: by the
 * engine with the commit, or with `within`.
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
    this.writing ??= this.write().finally(() => {
      this.writing = null;
    });
  }

  /** Throws what the transaction throws. */
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
