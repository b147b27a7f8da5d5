import { type Instant, isFinal, type LeaseRecord } from '../../core/index.ts';

/** What an adapter receives about a lease besides its machines. */
export interface LeaseFacts {
  readonly name: string | null;
  /** Name of the principal that owns it. */
  readonly owner: string | null;
  /** Number of its project. */
  readonly project: number | null;
  /** When its machines started, or are planned to start; null if that is not known, and when the lease has ended. */
  readonly start: Instant | null;
  /** When it is then planned to end. */
  readonly end: Instant | null;
}

/** Maximum number of ended leases whose facts are kept; their machines may still have to be removed. */
const maxEnded = 10_000;

export interface KnownLeasesOptions {
  /** Reads the facts about a lease from the store; null if it has no such lease. */
  readonly read: (lease: number) => Promise<LeaseFacts | null>;
  readonly onFailure: (lease: number, error: unknown) => void;
}

/** Facts about leases, besides their machines, that are passed to hosts. */
export class KnownLeases {
  private readonly facts = new Map<number, LeaseFacts>();
  /** In order of their end; also those that were read from the store. */
  private readonly ended = new Set<number>();

  constructor(private readonly options: KnownLeasesOptions) {}

  /**
   * A lease that had ended before the server was started is read from the store. Null for one that is not stored, or if
   * the store fails: hosts are called all the same. Never rejects.
   */
  of(lease: number): LeaseFacts | Promise<LeaseFacts | null> {
    return this.facts.get(lease) ?? this.read(lease);
  }

  note(leases: readonly LeaseRecord[]): void {
    for (const lease of leases) this.keep(lease.id, factsOf(lease), isFinal(lease.state));
  }

  clear(): void {
    this.facts.clear();
    this.ended.clear();
  }

  private async read(lease: number): Promise<LeaseFacts | null> {
    try {
      const facts = await this.options.read(lease);
      if (facts && !this.facts.has(lease)) this.keep(lease, facts, true);
      return facts;
    } catch (error) {
      this.options.onFailure(lease, error);
      return null;
    }
  }

  private keep(lease: number, facts: LeaseFacts, hasEnded: boolean): void {
    this.facts.set(lease, facts);
    if (hasEnded) this.ended.add(lease);
    for (const id of this.ended) {
      if (this.ended.size <= maxEnded) break;
      this.ended.delete(id);
      this.facts.delete(id);
    }
  }
}

function factsOf(lease: LeaseRecord): LeaseFacts {
  const { accumulated, actualStart, duration, name, owner, plannedStart, project, requestedStart, state } = lease;
  const start = isFinal(state) ? null : (actualStart ?? plannedStart ?? requestedStart);
  const isFirstRun = start !== null && accumulated === 0;
  return { name, owner, project, start, end: isFirstRun ? start + duration : null };
}
