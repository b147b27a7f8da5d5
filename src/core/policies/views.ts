import type { ResourceSpace } from '../model/capacity.ts';
import type { SchedulerConfig } from '../model/config.ts';
import type { Amounts, Instant, Millis, SiteSpec } from '../model/records.ts';
import type { NodeProfile } from '../slot-table/node-profile.ts';

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
  /** How many leases hold something on it, counted up to `max`. */
  leaseCount(max: number = Number.POSITIVE_INFINITY): number {
    return this.#profile.leaseCount(this.#at, max);
  }
  /** How long neither the free capacity nor the set of leases changes; Infinity: forever. */
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
