import type { Journal } from './journal.ts';
import type { RecurrenceRecord } from './model/recurrence-records.ts';

/** The recurrences of the site: those that are not over, and some that are. */
export class RecurrenceBook {
  private readonly records = new Map<number, RecurrenceRecord>();
  /** Those that are new or changed, and not taken yet. */
  private readonly changed = new Set<number>();

  constructor(
    private readonly journal: Journal,
    public lastId: number,
  ) {}

  get size(): number {
    return this.records.size;
  }

  /** Ascending id. */
  get all(): readonly RecurrenceRecord[] {
    return [...this.records.values()];
  }

  get(id: number): RecurrenceRecord | undefined {
    return this.records.get(id);
  }

  /** As it was stored; in ascending order of id. */
  restore(record: RecurrenceRecord): void {
    this.records.set(record.id, record);
  }

  /** It is new or has changed. */
  set(record: RecurrenceRecord): void {
    const { id } = record;
    const { lastId } = this;
    const before = this.records.get(id);
    const wasChanged = this.changed.has(id);
    this.records.set(id, record);
    this.lastId = Math.max(lastId, id);
    this.changed.add(id);
    this.journal.record(() => {
      if (before) this.records.set(id, before);
      else this.records.delete(id);
      this.lastId = lastId;
      if (!wasChanged) this.changed.delete(id);
    });
  }

  /** Those that are new or changed since this was last asked, ascending id. */
  take(): RecurrenceRecord[] {
    const taken = this.all.filter(({ id }) => this.changed.has(id));
    this.changed.clear();
    return taken;
  }
}
