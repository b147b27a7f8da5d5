import { type Amounts, getOrCreate, type Millis } from '../core/index.ts';
import { Interner } from './formats/values.ts';
import type { Overheads, TraceLease } from './workload.ts';

export const noOverheads: Overheads = { applyTo: 'none', runtimeSlowdown: 0, bootShutdown: 0 };

/** The lease with both durations extended by the slowdown, in whole seconds, and then by the boot overhead. */
export function applyOverheads(lease: TraceLease, overheads: Overheads): TraceLease {
  const { applyTo, runtimeSlowdown, bootShutdown } = overheads;
  if (applyTo === 'none' || (applyTo === 'besteffort' && lease.type !== 'BEST_EFFORT')) return lease;
  const factor = 1 + runtimeSlowdown / 100;
  const grow = (duration: Millis) =>
    (runtimeSlowdown === 0 ? duration : Math.ceil((duration / 1000) * factor) * 1000) + bootShutdown;
  return {
    ...lease,
    duration: grow(lease.duration),
    knownDuration: lease.knownDuration === null ? null : grow(lease.knownDuration),
  };
}

/** The leases with this memory (MB) in every machine; null changes nothing. */
export function overrideMemory(leases: readonly TraceLease[], memory: number | null): readonly TraceLease[] {
  if (memory === null) return leases;
  const interner = new Interner();
  const replaced = new Map<readonly Amounts[], readonly Amounts[]>();
  return leases.map((lease) => {
    const machines = getOrCreate(replaced, lease.machines, () =>
      lease.machines.map((amounts) => interner.machine({ ...amounts, Memory: memory })),
    );
    return { ...lease, machines };
  });
}
