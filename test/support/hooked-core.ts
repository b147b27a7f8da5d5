import { type Instant, type LeaseRequest, Scheduler } from '../../src/core/index.ts';
import type { Core, RestoreCore } from '../../src/engine/core.ts';

export interface CoreHooks {
  /**
   * Called around what the core does: after `request` and `cancel`, so that a throw leaves the core half changed;
   * before the others, and `pass` before each lease that a pass handles. May throw, as a defect would.
   */
  hook?: (what: 'restore' | 'request' | 'cancel' | 'advance' | 'pass', request?: LeaseRequest) => void;
  /** Always wants another pass. */
  alwaysNeedsPass?: boolean;
  /** An instant that it reports as due, whatever it has carried out. */
  overdue?: () => Instant | null;
}

/** The scheduler, with hooks of a test between it and the engine. */
export function hookedCore(inner: Scheduler, hooks: CoreHooks): Core {
  const { hook = () => {} } = hooks;
  const hooked: Partial<Core> = {
    request: (now, request) => {
      const lease = inner.request(now, request);
      hook('request', request);
      return lease;
    },
    cancel: (now, leaseId) => {
      inner.cancel(now, leaseId);
      hook('cancel');
    },
    advance: (now) => {
      hook('advance');
      inner.advance(now);
    },
    *pass(now) {
      const pass = inner.pass(now);
      hook('pass');
      for (let told: Instant | undefined = now; !pass.next(told).done; ) {
        told = yield;
        hook('pass');
      }
    },
    nextInstant: () => hooks.overdue?.() ?? inner.nextInstant(),
    get needsPass() {
      return hooks.alwaysNeedsPass ?? inner.needsPass;
    },
  };
  return new Proxy<Core>(inner, {
    get: (_target, name: keyof Core) => {
      if (name in hooked) return hooked[name];
      const own = inner[name];
      return typeof own === 'function' ? own.bind(inner) : own;
    },
  });
}

export function hookedRestore(hooks: CoreHooks): RestoreCore {
  return (site, config, snapshot) => {
    hooks.hook?.('restore');
    return hookedCore(Scheduler.restore(site, config, snapshot, { reevaluation: 'in-pass' }), hooks);
  };
}
