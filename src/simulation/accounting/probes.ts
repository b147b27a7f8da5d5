import type { LeaseRecord, LeaseType } from '../../core/index.ts';
import type { SimulationObserver } from '../observer.ts';
import type { Recorder } from './recorder.ts';

/** Milliseconds; shorter leases count as this long in a slowdown. */
const minDuration = 10_000;

/** Every probe, by its name in configurations. */
export const probes = {
  ar: (recorder) => admission(recorder, 'ADVANCE_RESERVATION', 'AR'),
  immediate: (recorder) => admission(recorder, 'IMMEDIATE', 'Immediate'),
  'best-effort': bestEffort,
  'cpu-utilization': cpuUtilization,
  'disk-usage': diskUsage,
  lease: allLeases,
  'lease-extras': leaseExtras,
} satisfies Readonly<Record<string, (recorder: Recorder) => SimulationObserver>>;

export type ProbeName = keyof typeof probes;

/** A lease counts as accepted when it gets its first place in the schedule, not when it is requested. */
function admission(recorder: Recorder, type: LeaseType, label: string): SimulationObserver {
  const accepted = recorder.counter(`Accepted ${label}`);
  const rejected = recorder.counter(`Rejected ${label}`);
  const waiting = new Set<number>();
  return {
    onRequest: (_, lease) => {
      if (lease.type === type) waiting.add(lease.id);
    },
    onEvent: ({ at, leaseId, to }) => {
      if (to === 'SCHEDULED' && waiting.delete(leaseId)) accepted.increment(at, leaseId);
    },
    onLeaseEnded: (at, lease) => {
      waiting.delete(lease.id);
      if (lease.type === type && lease.state === 'REJECTED') rejected.increment(at, lease.id);
    },
    onEnd: () => {
      recorder.run(`Total accepted ${label}`, accepted.value);
      recorder.run(`Total rejected ${label}`, rejected.value);
    },
  };
}

function bestEffort(recorder: Recorder): SimulationObserver {
  const completed = recorder.counter('Best-effort completed');
  const queueSize = recorder.counter('Queue size', 'time-weighted');
  let lastCompletion: number | null = null;
  return {
    onStep: (at, scheduler) => queueSize.set(at, scheduler.queueLength),
    onLeaseEnded: (at, lease) => {
      if (lease.type !== 'BEST_EFFORT' || lease.state !== 'DONE') return;
      completed.increment(at, lease.id);
      lastCompletion = recorder.seconds(at);
      if (lease.actualStart !== null) {
        recorder.lease(lease.id, 'Waiting time', (lease.actualStart - lease.submittedAt) / 1000);
      }
      recorder.lease(lease.id, 'Slowdown', (at - lease.submittedAt) / Math.max(lease.originalDuration, minDuration));
    },
    onEnd: () => {
      recorder.run('Total best-effort completed', completed.value);
      recorder.run('all-best-effort', lastCompletion);
    },
  };
}

function cpuUtilization(recorder: Recorder): SimulationObserver {
  const utilization = recorder.counter('CPU utilization', 'time-weighted');
  return {
    onStep: (at, scheduler) => {
      const { used, suspending, resuming, shuttingDown } = scheduler.utilization(at);
      utilization.set(at, used + suspending + resuming + shuttingDown);
    },
  };
}

/** MB of disk images on the fullest node, including its cache. */
function diskUsage(recorder: Recorder): SimulationObserver {
  const usage = recorder.counter('Disk usage');
  return {
    onStep: (at, scheduler) => {
      const { leases, site } = scheduler.snapshot();
      const perNode = new Map<number, number>();
      const add = (node: number, sizeMb: number) => perNode.set(node, (perNode.get(node) ?? 0) + sizeMb);
      for (const { image, diskAt } of leases) {
        if (image !== null) for (const node of Object.values(diskAt)) add(node, image.sizeMb);
      }
      for (const { node, image } of site.cachedImages) add(node, image.sizeMb);
      let most = 0;
      for (const sizeMb of perNode.values()) most = Math.max(most, sizeMb);
      usage.set(at, most);
    },
  };
}

function allLeases(recorder: Recorder): SimulationObserver {
  const requested = recorder.counter('Requested leases');
  const completed = recorder.counter('Completed leases');
  const rejected = recorder.counter('Rejected leases');
  const rejectedByUser = recorder.counter('Rejected leases (by user)');
  const byState: Partial<Record<LeaseRecord['state'], typeof completed>> = {
    DONE: completed,
    REJECTED: rejected,
    REJECTED_BY_USER: rejectedByUser,
  };
  return {
    onRequest: (at, lease) => requested.increment(at, lease.id),
    onLeaseEnded: (at, lease) => byState[lease.state]?.increment(at, lease.id),
    onEnd: () => {
      recorder.run('Total requested leases', requested.value);
      recorder.run('Total completed leases', completed.value);
      recorder.run('Total rejected leases', rejected.value);
      recorder.run('Total rejected leases (by user)', rejectedByUser.value);
    },
  };
}

function leaseExtras(recorder: Recorder): SimulationObserver {
  return {
    onLeaseEnded: (_, lease) => {
      recorder.lease(lease.id, 'State', lease.state);
      recorder.lease(lease.id, 'Number of nodes', lease.machines.length);
      recorder.lease(lease.id, 'Requested duration', lease.duration / 1000);
      recorder.lease(lease.id, 'Actual duration', lease.accumulated / 1000);
      if (lease.requestedStart !== null) {
        recorder.lease(lease.id, 'Start', (lease.requestedStart - lease.submittedAt) / 1000);
      }
    },
  };
}
