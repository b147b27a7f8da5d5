import {
  type Changes,
  type Instant,
  type LeaseRecord,
  type LeaseRequest,
  Scheduler,
  type StateReason,
} from '../../src/core/index.ts';
import type { Core, RestoreCore } from '../../src/engine/core.ts';

export interface CoreHooks {
  /** Called before the core does something: `pass` before each lease that a pass handles. May throw, as a defect would. */
  before?: (what: 'restore' | 'request' | 'cancel' | 'advance' | 'pass', request?: LeaseRequest) => void;
  /** Wants pass after pass. */
  neverContent?: boolean;
  /** What it says is due, whatever it has carried out. */
  overdue?: () => Instant | null;
}

/** The scheduler, with a test between it and the engine. */
export class HookedCore implements Core {
  constructor(
    readonly inner: Scheduler,
    private readonly hooks: CoreHooks,
  ) {}

  get needsPass(): boolean {
    return this.hooks.neverContent ?? this.inner.needsPass;
  }

  get liveLeases(): number {
    return this.inner.liveLeases;
  }

  get queueLength(): number {
    return this.inner.queueLength;
  }

  get changedRows(): number {
    return this.inner.changedRows;
  }

  request(now: Instant, request: LeaseRequest): LeaseRecord {
    const lease = this.inner.request(now, request);
    // After the change, so that a throw leaves the core half changed.
    this.hooks.before?.('request', request);
    return lease;
  }

  cancel(now: Instant, leaseId: number): void {
    this.inner.cancel(now, leaseId);
    this.hooks.before?.('cancel');
  }

  actionFailed(now: Instant, leaseId: number, reason: StateReason): void {
    this.inner.actionFailed(now, leaseId, reason);
  }

  vmEnded(now: Instant, leaseId: number): void {
    this.inner.vmEnded(now, leaseId);
  }

  lease(id: number): LeaseRecord | null {
    return this.inner.lease(id);
  }

  advance(now: Instant): void {
    this.hooks.before?.('advance');
    this.inner.advance(now);
  }

  *pass(now: Instant): Generator<void, void, Instant | undefined> {
    this.hooks.before?.('pass');
    for (const _ of this.inner.pass(now)) {
      yield;
      this.hooks.before?.('pass');
    }
  }

  nextInstant(): Instant | null {
    return this.hooks.overdue?.() ?? this.inner.nextInstant();
  }

  takeChanges(): Changes {
    return this.inner.takeChanges();
  }
}

export const hookedRestore =
  (hooks: CoreHooks): RestoreCore =>
  (site, config, snapshot) => {
    hooks.before?.('restore');
    return new HookedCore(Scheduler.restore(site, config, snapshot), hooks);
  };
