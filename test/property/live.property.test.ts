import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Instant,
  type LeaseRequest,
  type Millis,
  Scheduler,
  type SchedulerConfig,
  SchedulerError,
  type SchedulerOptions,
  type SiteSpec,
  type Snapshot,
} from '../../src/core/index.ts';
import {
  advanceReservationFaults,
  expectNoFaults,
  historyFaults,
  planFaults,
  runTimeFaults,
  unfinishedFaults,
} from '../support/invariants/index.ts';
import { Ledger } from './ledger.ts';
import { cancel, PATIENT, runs } from './run.ts';
import { configs, leaseRequests, type Scenario, START, sites } from './scenario.ts';

/** Commands that a caller may send at any time, also during a pass. */
type Deed =
  | { readonly kind: 'wait'; readonly time: Millis }
  | { readonly kind: 'request'; readonly request: LeaseRequest }
  | { readonly kind: 'cancel' | 'end' | 'fail'; readonly lease: number }
  | { readonly kind: 'slice'; readonly tellsTime: boolean }
  | { readonly kind: 'pass' | 'reload' }
  | { readonly kind: 'reconfigure'; readonly config: SchedulerConfig };

const lease = fc.integer({ min: 1, max: 12 });

const deeds = (site: SiteSpec): fc.Arbitrary<Deed> =>
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('wait' as const),
        time: fc.oneof(fc.constantFrom(0, 1, 1000, 60_000, 600_000, 3_600_000), fc.nat({ max: 2_000_000 })),
      }),
    },
    {
      weight: 6,
      // Starts of advance reservations are relative to the time of the request.
      arbitrary: leaseRequests(site, 0).map((request) => ({ kind: 'request' as const, request })),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constantFrom('cancel' as const, 'end' as const, 'fail' as const),
        lease,
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant('slice' as const), tellsTime: fc.boolean() }),
    },
    { weight: 3, arbitrary: fc.constantFrom({ kind: 'pass' as const }, { kind: 'reload' as const }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('reconfigure' as const), config: configs }) },
  );

const lives = fc.tuple(sites, configs).chain(([site, config]) =>
  fc.record({
    site: fc.constant(site),
    config: fc.constant(config),
    reevaluation: fc.constantFrom<('at-once' | 'in-pass')[]>('at-once', 'in-pass'),
    deeds: fc.array(deeds(site), { minLength: 1, maxLength: 40, size: 'max' }),
  }),
);

class Life {
  readonly ledger: Ledger;
  readonly disturbed = new Set<number>();
  scheduler: Scheduler;
  now: Instant = START;
  private pass: Generator<void, void, Instant | undefined> | null = null;

  constructor(
    private scenario: Pick<Scenario, 'site' | 'config'>,
    private readonly options: SchedulerOptions,
  ) {
    this.scheduler = Scheduler.create(scenario.site, scenario.config, options);
    this.ledger = new Ledger(this.scheduler.snapshot().site);
  }

  do(deed: Deed): void {
    switch (deed.kind) {
      case 'wait':
        this.waitUntil(this.now + deed.time);
        break;
      case 'request': {
        const { request } = deed;
        const start = request.start == null ? null : this.now + request.start;
        this.scheduler.request(this.now, { ...request, start });
        break;
      }
      case 'cancel':
        cancel(this.scheduler, this.now, deed.lease);
        break;
      case 'end':
        this.end(deed.lease);
        break;
      case 'fail':
        if (this.scheduler.lease(deed.lease)) this.disturbed.add(deed.lease);
        this.scheduler.actionFailed(this.now, deed.lease, { code: 'ACTION_FAILED', message: 'no power' });
        break;
      case 'slice':
        this.slice(deed.tellsTime);
        break;
      case 'pass':
        while (!this.slice(false));
        break;
      case 'reload':
        this.reload();
        break;
      case 'reconfigure':
        this.scenario = { ...this.scenario, config: deed.config };
        this.reload();
    }
    this.scheduler.advance(this.now);
    this.check();
  }

  waitUntil(time: Instant): void {
    this.now = time;
    this.scheduler.advance(time);
  }

  check(): void {
    this.ledger.apply(this.scheduler.takeChanges());
    const snapshot = this.scheduler.snapshot();
    if (!isDeepStrictEqual(this.ledger.snapshot(), snapshot)) expect(this.ledger.snapshot()).toEqual(snapshot);
    expectNoFaults(planFaults(this.scenario.site, this.ledger.history()));
    for (const { id, state, end } of this.ledger.planned())
      if (state === 'ACTIVE' && end < this.now) throw new Error(`reservation ${id} runs on after its end`);
    for (const { id, state, start } of this.ledger.planned())
      if (state === 'SCHEDULED' && start < this.now) throw new Error(`reservation ${id} has missed its start`);
  }

  /** One slice of the current pass, or of a new one. Returns whether it was the last. */
  private slice(tellsTime: boolean): boolean {
    this.pass ??= this.scheduler.pass(this.now);
    const done = this.pass.next(tellsTime ? this.now : undefined).done === true;
    if (done) this.pass = null;
    return done;
  }

  private end(lease: number): void {
    try {
      this.scheduler.vmEnded(this.now, lease);
      this.disturbed.add(lease);
    } catch (error) {
      if (!(error instanceof SchedulerError) || error.code === 'INTERNAL') throw error;
    }
  }

  private reload(): void {
    this.check();
    this.pass = null;
    const { site, config } = this.scenario;
    const snapshot = JSON.parse(JSON.stringify(this.scheduler.snapshot())) as Snapshot;
    this.scheduler = Scheduler.restore(site, config, snapshot, this.options);
  }

  /** Runs until all leases have ended, without further commands. */
  toEnd(): void {
    for (let turn = 0; this.scheduler.liveLeases > 0; turn += 1) {
      if (turn > 2000) throw new Error('the leases that are left do not come to an end');
      this.do({ kind: 'pass' });
      const next = this.scheduler.nextInstant();
      if (next !== null) this.waitUntil(Math.max(next, this.now));
      this.check();
    }
  }
}

describe('with any commands, in any order, between any slices of a pass', () => {
  it(
    'no node is over capacity, nothing is missed, nothing is told wrong, and all leases come to an end',
    PATIENT,
    () => {
      fc.assert(
        fc.property(lives, ({ site, config, reevaluation, deeds }) => {
          const life = new Life({ site, config }, { reevaluation });
          for (const deed of deeds) life.do(deed);
          life.toEnd();
          const history = life.ledger.history();
          expectNoFaults([
            ...historyFaults(site, history),
            ...advanceReservationFaults(history, life.disturbed),
            ...runTimeFaults(history, life.disturbed),
            ...unfinishedFaults(history),
          ]);
        }),
        { numRuns: runs(500) },
      );
    },
  );
});
