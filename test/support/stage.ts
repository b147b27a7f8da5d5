import {
  type ActionRecord,
  type Changes,
  type LeaseEventRecord,
  type LeaseRecord,
  type ReservationRecord,
  Scheduler,
  type SchedulerConfig,
  type SchedulerOptions,
  SECOND,
  type SiteSpec,
  type Snapshot,
} from '../../src/core/index.ts';
import { configOf, FOUR_NODES, type Setting, type StoryLease } from './story.ts';

/**
 * A scheduler on which leases come and go by themselves up to a moment, so that a test can step in there. Times in
 * seconds.
 */
export class Stage {
  readonly scheduler: Scheduler;
  /** The records as they last changed, of leases that have ended too. */
  readonly leases = new Map<number, LeaseRecord>();
  readonly reservations = new Map<number, ReservationRecord>();
  /** Since the last `forget`. */
  events: LeaseEventRecord[] = [];
  actions: ActionRecord[] = [];
  now = 0;
  readonly site: SiteSpec;
  readonly config: SchedulerConfig;
  private readonly cast: (StoryLease & { readonly id: number })[];

  constructor(cast: readonly StoryLease[], setting: Setting & Pick<SchedulerOptions, 'reevaluation'> = {}) {
    const { site = FOUR_NODES, config, policies = {}, reevaluation = 'at-once' } = setting;
    this.site = site;
    this.config = configOf(config);
    this.scheduler = Scheduler.create(site, this.config, { policies, reevaluation });
    this.cast = cast.map((lease, index) => ({ ...lease, id: index + 1 })).sort((a, b) => a.arrival - b.arrival);
  }

  /** Goes on to a moment, everything that happens then included. */
  to(moment: number): this {
    for (let next = this.next(); next !== null && next <= moment; next = this.next()) this.happen(next);
    this.now = moment;
    return this;
  }

  /** Goes on to a moment at which leases are only requested: the pass does not come any more. */
  toRequests(moment: number): this {
    this.to(moment - 1);
    this.scheduler.advance(moment * SECOND);
    this.request(moment);
    this.now = moment;
    this.take();
    return this;
  }

  /** Does something at the present moment, and takes note of what it changes. */
  do(deed: (scheduler: Scheduler, now: number) => void): this {
    deed(this.scheduler, this.now * SECOND);
    this.take();
    return this;
  }

  /** The same moment on a scheduler of its own, with another configuration. */
  under(changes: Partial<SchedulerConfig>): Scheduler {
    const snapshot = JSON.parse(JSON.stringify(this.scheduler.snapshot())) as Snapshot;
    return Scheduler.restore(this.site, { ...this.config, ...changes }, snapshot);
  }

  forget(): this {
    this.events = [];
    this.actions = [];
    return this;
  }

  state(id: number): string | undefined {
    return this.leases.get(id)?.state;
  }

  /** What is planned or runs for a lease: `VM[0,600) SHUTDOWN[600,602)`. */
  plan(id: number): string {
    return [...this.reservations.values()]
      .filter(({ leaseId, state }) => leaseId === id && (state === 'SCHEDULED' || state === 'ACTIVE'))
      .sort((a, b) => a.start - b.start || a.chainIndex - b.chainIndex)
      .map(({ kind, start, end }) => `${kind}[${start / SECOND},${end / SECOND})`)
      .join(' ');
  }

  private next(): number | null {
    const { scheduler, cast } = this;
    const due = scheduler.nextInstant();
    const times = [due === null ? null : due / SECOND, cast[0]?.arrival].filter((time) => typeof time === 'number');
    return times.length > 0 ? Math.min(...times) : null;
  }

  private happen(moment: number): void {
    const { scheduler } = this;
    scheduler.advance(moment * SECOND);
    this.request(moment);
    scheduler.schedule(moment * SECOND);
    scheduler.advance(moment * SECOND);
    this.take();
  }

  private request(moment: number): void {
    for (let first = this.cast[0]; first && first.arrival <= moment; first = this.cast[0]) {
      const { arrival: _, start, deadline, known, duration, preemptible = true, image, ...request } = first;
      this.scheduler.request(moment * SECOND, {
        ...request,
        duration: duration * SECOND,
        start: start === undefined ? null : start * SECOND,
        deadline: deadline === undefined ? null : deadline * SECOND,
        knownDuration: known === undefined ? null : known * SECOND,
        preemptible,
        image: image ?? null,
      });
      this.cast.shift();
    }
  }

  private take(): void {
    const { leases, reservations, withdrawn, events, actions }: Changes = this.scheduler.takeChanges();
    for (const lease of leases) this.leases.set(lease.id, lease);
    for (const reservation of reservations) this.reservations.set(reservation.id, reservation);
    for (const id of withdrawn) this.reservations.delete(id);
    this.events.push(...events);
    this.actions.push(...actions);
  }
}
