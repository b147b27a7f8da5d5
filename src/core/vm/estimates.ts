import type { SchedulerConfig } from '../model/config.ts';
import type { Lease } from '../model/lease.ts';
import type { Millis } from '../model/records.ts';
import { transferTime, wholeSeconds } from '../model/time.ts';

/** Mbit/s between nodes. */
export const MIGRATION_BANDWIDTH = 100;

/** What the operations on a lease's machines will take (R3, R5, R42, R51). All durations in milliseconds. */
export class Estimates {
  constructor(private readonly config: SchedulerConfig) {}

  /** Saving one machine with that much memory, MB. */
  suspendOperation(memory: number): Millis {
    return this.config.overrideSuspendTime ?? wholeSeconds(memory / this.config.suspendRate);
  }

  resumeOperation(memory: number): Millis {
    return this.config.overrideResumeTime ?? wholeSeconds(memory / this.config.resumeRate);
  }

  shutdown(lease: Lease): Millis {
    return this.config.shutdownTime + this.config.enactmentOverhead * lease.machineCount;
  }

  /** Saving all its machines, one after the other. */
  suspend(lease: Lease): Millis {
    return this.times(lease).suspend;
  }

  resume(lease: Lease): Millis {
    return this.times(lease).resume;
  }

  memoryMigration(lease: Lease): Millis {
    return this.config.migration === 'yes' ? this.times(lease).memoryMigration : 0;
  }

  diskMigration(lease: Lease): Millis {
    if (this.config.migration !== 'yes' || !lease.image) return 0;
    // Machines whose image came by other means have no copy to move.
    return transferTime(lease.image.sizeMb, MIGRATION_BANDWIDTH) * lease.diskAt.size;
  }

  /** The least time that is worth running before being suspended (R51). */
  threshold(lease: Lease, resuming: boolean): Millis {
    const { forceSchedulingThreshold: forced, schedulingThresholdFactor: factor } = this.config;
    const safe = this.suspend(lease) + (resuming ? this.resume(lease) : 0);
    return forced === null ? safe + safe * factor : Math.max(forced, safe);
  }

  /** Whether a lease may be suspended at all. */
  canSuspend(lease: Lease): boolean {
    const { suspension } = this.config;
    return suspension === 'all' || (suspension === 'serial-only' && lease.machineCount === 1);
  }

  private times(lease: Lease): NonNullable<Lease['operationTimes']> {
    const { enactmentOverhead: overhead } = this.config;
    const sum = (time: (memory: number) => Millis) =>
      lease.memory.slice(1).reduce((total, memory) => total + time(memory), 0);
    lease.operationTimes ??= {
      suspend: sum((memory) => this.suspendOperation(memory) + overhead),
      resume: sum((memory) => this.resumeOperation(memory) + overhead),
      memoryMigration: sum((memory) => transferTime(memory, MIGRATION_BANDWIDTH)),
    };
    return lease.operationTimes;
  }
}
