import type { Lease } from './lease.ts';
import type { Amounts, Instant, LeaseState, LeaseType, Millis } from './records.ts';

/** A lease as policies see it: to be read only. */
export class LeaseView {
  readonly #lease: Lease;

  constructor(lease: Lease) {
    this.#lease = lease;
  }

  get id(): number {
    return this.#lease.id;
  }
  get name(): string | null {
    return this.#lease.terms.name;
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
  /** As requested, whatever of it has already run. */
  get duration(): Millis {
    return this.#lease.duration;
  }
  get accumulated(): Millis {
    return this.#lease.accumulated;
  }
  get preemptible(): boolean {
    return this.#lease.preemptible;
  }
  /** Copies: one entry a machine. */
  get machines(): readonly Amounts[] {
    return structuredClone(this.#lease.terms.machines) as Amounts[];
  }
}
