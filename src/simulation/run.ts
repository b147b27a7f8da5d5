import {
  type Instant,
  isFinal,
  type LeaseRecord,
  type LeaseRequest,
  type Policies,
  Scheduler,
  SchedulerError,
  SECOND,
} from '../core/index.ts';
import { CommandFeed } from './command-feed.ts';
import type { Command } from './commands.ts';
import type { SimulationObserver } from './observer.ts';
import { applyOverheads, overrideMemory } from './overheads.ts';
import { quotasOfUsers } from './quotas.ts';
import { ResultRecorder } from './recorder.ts';
import type { SimulationResult } from './result.ts';
import type { Cancellation, SimulationConfig, TraceLease, Workload } from './workload.ts';

export interface SimulationOptions {
  readonly workload: Workload;
  readonly cancellations?: readonly Cancellation[];
  /** In order of time. */
  readonly commands?: readonly Command[];
  readonly config: SimulationConfig;
  readonly policies?: Partial<Policies>;
  readonly observers?: readonly SimulationObserver[];
}

/** Runs a workload on the scheduler core with a clock that jumps from one event to the next (R30). */
export function simulate(options: SimulationOptions): SimulationResult {
  return new Run(options).toEnd();
}

class Run {
  private readonly scheduler: Scheduler;
  private readonly start: Instant;
  private readonly requests: readonly TraceLease[];
  private readonly cancellations: readonly Cancellation[];
  private readonly commands: CommandFeed;
  private readonly recorder: ResultRecorder;
  private readonly observers: readonly SimulationObserver[];
  private readonly projects: ReadonlyMap<string, number>;
  private readonly requested = new Set<number>();
  private nextRequest = 0;
  private nextCancellation = 0;
  private bestEffortLeft: number;

  constructor(private readonly options: SimulationOptions) {
    const { workload, cancellations = [], commands = [], config, policies, observers = [] } = options;
    const site = config.site ?? workload.site;
    if (!site) throw new SchedulerError('INVALID_SITE', 'neither the configuration nor the trace describes a site');
    this.scheduler = Scheduler.create(site, config.scheduler, { policies });
    this.start = config.startTime;
    this.requests = overrideMemory(workload.leases, config.overrideMemory);
    this.projects = quotasOfUsers(this.scheduler, this.start, this.requests, config.quotas ?? []);
    this.cancellations = [...cancellations].sort((a, b) => a.at - b.at);
    this.commands = new CommandFeed(this.scheduler, commands, this.start, this.requested);
    this.recorder = new ResultRecorder(config.startTime);
    this.observers = observers;
    this.bestEffortLeft = this.requests.filter(({ type }) => type === 'BEST_EFFORT').length;
  }

  toEnd(): SimulationResult {
    let at = this.start;
    for (const observer of this.observers) observer.onStart?.(at);
    let stuckSince: Instant | null = null;
    let stopped = false;
    while (true) {
      const changed = this.step(at);
      if (this.mayStop()) {
        stopped = !this.hasNothingLeft();
        at = this.nextTime(at) ?? at;
        break;
      }
      const byCommand = this.carryOutNextCommands(at);
      if (byCommand !== null) {
        stuckSince = null;
        at = byCommand;
        continue;
      }
      if (this.hasNothingLeft()) {
        at = this.nextCancellationTime() ?? at;
        break;
      }
      const next = this.nextTime(at);
      if (next === null) {
        // Leases wait although nothing is left to happen: one more pass a second later, and if that changes nothing the
        // run is over (R58).
        if (stuckSince !== null && !changed) break;
        stuckSince = at;
        at += SECOND;
      } else {
        stuckSince = null;
        at = next;
      }
    }
    for (const observer of this.observers) observer.onEnd?.(at);
    return this.recorder.result(at, stopped, this.commands);
  }

  /** Everything that happens at one instant. Returns whether anything did. */
  private step(at: Instant): boolean {
    const { scheduler } = this;
    // (a) What ends by itself, then users' cancellations and commands.
    scheduler.endPrematurely(at);
    for (; this.dueCancellation(at); this.nextCancellation += 1)
      this.cancel(at, (this.cancellations[this.nextCancellation] as Cancellation).leaseId);
    this.commands.carryOut(at);
    // (b) What ends and starts.
    scheduler.advance(at);
    // (c) Requests, and one pass.
    for (; this.dueRequest(at); this.nextRequest += 1) this.request(at, this.requests[this.nextRequest] as TraceLease);
    scheduler.schedule(at);
    // (d) As (b).
    scheduler.advance(at);
    const changes = scheduler.takeChanges();
    this.recorder.record(changes);
    for (const observer of this.observers) {
      for (const event of changes.events) observer.onEvent?.(event);
      for (const lease of changes.leases) if (isFinal(lease.state)) observer.onLeaseEnded?.(at, lease);
      observer.onStep?.(at, scheduler);
    }
    return changes.events.length > 0;
  }

  private request(at: Instant, lease: TraceLease): void {
    if (lease.type === 'BEST_EFFORT') this.bestEffortLeft -= 1;
    this.requested.add(lease.id);
    let record: LeaseRecord;
    try {
      const request = toRequest(lease, this.start, this.options.config);
      const project = this.projects.get(lease.user ?? '');
      record = this.scheduler.request(at, project === undefined ? request : { ...request, project });
    } catch (error) {
      if (!(error instanceof SchedulerError) || error.code !== 'INVALID_REQUEST') throw error;
      throw new SchedulerError(error.code, `lease ${lease.id} of the trace: ${error.message}`, error.path);
    }
    for (const observer of this.observers) observer.onRequest?.(at, record);
  }

  /** Cancellations of leases that have ended, or do not exist yet, are ignored (R61). */
  private cancel(at: Instant, leaseId: number): void {
    try {
      this.scheduler.cancel(at, leaseId);
    } catch (error) {
      const ignored =
        error instanceof SchedulerError && (error.code === 'LEASE_NOT_FOUND' || error.code === 'LEASE_ENDED');
      if (!ignored) throw error;
    }
  }

  private dueCancellation(at: Instant): boolean {
    const next = this.cancellations[this.nextCancellation];
    return next !== undefined && this.start + next.at <= at;
  }

  private dueRequest(at: Instant): boolean {
    const next = this.requests[this.nextRequest];
    return next !== undefined && this.start + next.arrival <= at;
  }

  /**
   * Carries out the commands that fall before anything else happens. Returns the first instant at which one is
   * accepted, or null. An instant at which all are refused is no instant of the run. Cancellations do not keep a run
   * alive in which nothing else is left.
   */
  private carryOutNextCommands(at: Instant): Instant | null {
    for (;;) {
      const next = this.isIdle() ? null : this.nextTime(at);
      const command = this.commands.nextTime;
      if (command === null || (next !== null && next <= command)) return null;
      if (this.commands.carryOut(command)) return command;
    }
  }

  private nextTime(at: Instant): Instant | null {
    const request = this.requests[this.nextRequest];
    const times = [
      this.scheduler.nextChangepoint(at),
      request ? this.start + request.arrival : null,
      this.nextCancellationTime(),
    ].filter((time) => time !== null);
    return times.length > 0 ? Math.min(...times) : null;
  }

  private nextCancellationTime(): Instant | null {
    const cancellation = this.cancellations[this.nextCancellation];
    return cancellation ? this.start + cancellation.at : null;
  }

  private hasNothingLeft(): boolean {
    return this.isIdle() && this.commands.nextTime === null;
  }

  /** No lease is left, and none is to come. */
  private isIdle(): boolean {
    const { scheduler } = this;
    return this.nextRequest === this.requests.length && scheduler.reservationCount === 0 && scheduler.liveLeases === 0;
  }

  /** Whether `stop-when` ends the run here, whatever is left. */
  private mayStop(): boolean {
    const { scheduler } = this;
    switch (this.options.config.stopWhen) {
      case 'besteffort-submitted':
        return this.bestEffortLeft === 0;
      case 'besteffort-done':
        return this.bestEffortLeft === 0 && scheduler.queueLength === 0 && !scheduler.hasLive('BEST_EFFORT');
      default:
        return false;
    }
  }
}

/** A lease of a trace as a request: with overheads, and with instants instead of times from the start. */
export function toRequest(
  lease: TraceLease,
  start: Instant,
  { overheads }: Pick<SimulationConfig, 'overheads'>,
): LeaseRequest {
  const { id, type, machines, duration, knownDuration, preemptible, image } = applyOverheads(lease, overheads);
  return {
    id,
    type,
    machines,
    duration,
    knownDuration,
    preemptible,
    image,
    start: lease.start === null ? null : start + lease.start,
    deadline: lease.deadline === null ? null : start + lease.deadline,
    originalDuration: lease.duration,
  };
}
