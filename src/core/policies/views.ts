import type { ResourceSpace } from '../model/capacity.ts';
import type { SchedulerConfig } from '../model/config.ts';
import type { Lease } from '../model/lease.ts';
import type { Amounts, Instant, LeaseState, LeaseType, Millis, SiteSpec } from '../model/records.ts';
import type { NodeProfile } from '../slot-table/node-profile.ts';

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

/** A node at an instant, as host selection sees it. */
export class HostView {
  readonly #space: ResourceSpace;
  #node: NodeProfile | null = null;
  #at: Instant = 0;

  constructor(space: ResourceSpace) {
    this.#space = space;
  }

  /** One view serves all nodes in turn: it is valid only during the call it is handed to. */
  show(node: NodeProfile, at: Instant): this {
    this.#node = node;
    this.#at = at;
    return this;
  }

  get number(): number {
    return this.#profile.number;
  }
  get capacity(): Amounts {
    return this.#space.amounts(this.#profile.capacity);
  }
  get free(): Amounts {
    return this.#space.amounts(this.#profile.freeAt(this.#at));
  }
  /** How many leases hold something on it, counted up to `most`. */
  leaseCount(most: number = Number.POSITIVE_INFINITY): number {
    return this.#profile.leaseCount(this.#at, most);
  }
  /** For how long neither what is free nor the set of leases changes; Infinity: for ever. */
  get unchangedFor(): Millis {
    return this.#profile.unchangedUntil(this.#at) - this.#at;
  }

  get #profile(): NodeProfile {
    return this.#node as NodeProfile;
  }
}

/** The site, as policies see it: a copy that cannot be changed. */
export interface SiteView {
  readonly site: SiteSpec;
  readonly config: SchedulerConfig;
}

export const siteView = (site: SiteSpec, config: SchedulerConfig): SiteView =>
  frozen(structuredClone({ site, config }));

const frozen = <T extends object>(value: T): T => {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) frozen(inner);
  return Object.freeze(value);
};
