import type { QuarantineControl } from './commands/command.ts';
import { fieldsOf } from './commands/shape.ts';
import type { Item } from './inbox.ts';
import type { Store } from './ports.ts';
import type { LeaseRemains } from './remains.ts';

/** Live leases that were excluded when the site was loaded because their stored data is inconsistent. */
export class Quarantine implements QuarantineControl {
  private leases = new Set<number>();
  private remains = new Map<number, LeaseRemains>();

  /** The site was loaded. */
  replace(leases: Iterable<number>): void {
    this.leases = new Set(leases);
    this.remains.clear();
  }

  has(leaseNumber: number): boolean {
    return this.leases.has(leaseNumber);
  }

  /** Leases to be discarded in the current turn. */
  concernedBy(items: readonly Item[]): readonly number[] {
    return items.flatMap((item) => {
      if (item.type !== 'command' || item.command.kind !== 'discard') return [];
      const leaseNumber = fieldsOf(item.command.input)?.leaseNumber;
      return typeof leaseNumber === 'number' && this.leases.has(leaseNumber) ? [leaseNumber] : [];
    });
  }

  /** Reads their stored data. */
  async lookUp(items: readonly Item[], store: Pick<Store, 'remains'>): Promise<void> {
    const remains = await store.remains(this.concernedBy(items));
    this.remains = new Map(remains.map((each) => [each.leaseId, each]));
  }

  remainsOf(leaseNumber: number): LeaseRemains | null {
    return this.remains.get(leaseNumber) ?? null;
  }

  release(leaseNumber: number): void {
    this.leases.delete(leaseNumber);
  }
}
