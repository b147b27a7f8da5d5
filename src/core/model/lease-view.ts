import type { Amounts, Instant, LeaseRecord, LeaseState, LeaseType, Millis } from './records.ts';

/** Contents of a lease view. */
export interface ViewedLease
  extends Pick<LeaseRecord, 'id' | 'name' | 'type' | 'submittedAt' | 'requestedStart' | 'duration' | 'preemptible'> {
  readonly state: LeaseState;
  readonly accumulated: Millis;
  readonly terms: Pick<LeaseRecord, 'machines'>;
}

/** A lease as policies see it, read-only. (A `#` field, since policies may be written in JavaScript.) */
export class LeaseView {
  readonly #lease: ViewedLease;

  constructor(lease: ViewedLease) {
    this.#lease = lease;
  }

  get id(): number {
    return this.#lease.id;
  }
  get name(): string | null {
    return this.#lease.name;
  }
  get type(): LeaseType {
    return this.#lease.type;
  }
  get state(): LeaseState {
    return this.#lease.state;
  }
  get submittedAt(): Instant {
    return this.#lease.submittedAt;
  }
  get requestedStart(): Instant | null {
    return this.#lease.requestedStart;
  }
  /** As requested, independent of what has already run. */
  get duration(): Millis {
    return this.#lease.duration;
  }
  get accumulated(): Millis {
    return this.#lease.accumulated;
  }
  get preemptible(): boolean {
    return this.#lease.preemptible;
  }
  /** Copies, one entry per machine. */
  get machines(): readonly Amounts[] {
    return structuredClone(this.#lease.terms.machines) as Amounts[];
  }
}
