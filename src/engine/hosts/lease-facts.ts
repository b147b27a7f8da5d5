import { isFinal, type LeaseRecord } from '../../core/index.ts';
import type { LeaseFacts } from '../ports.ts';

/** Maximum number of ended leases whose facts are kept; their machines may still have to be removed. */
const maxEnded = 10_000;

/** Facts about leases, besides their machines, that are passed to hosts. */
export class KnownLeases {
  private readonly facts = new Map<number, LeaseFacts>();
  /** In order of their end. */
  private readonly ended = new Set<number>();

  /** Null for a lease that had ended before the server was started. */
  of(lease: number): LeaseFacts | null {
    return this.facts.get(lease) ?? null;
  }

  note(leases: readonly LeaseRecord[]): void {
    for (const { id, name, owner, state } of leases) {
      this.facts.set(id, { name, owner });
      if (isFinal(state)) this.ended.add(id);
    }
    for (const id of this.ended) {
      if (this.ended.size <= maxEnded) break;
      this.ended.delete(id);
      this.facts.delete(id);
    }
  }

  clear(): void {
    this.facts.clear();
    this.ended.clear();
  }
}
