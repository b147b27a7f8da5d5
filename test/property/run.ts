import { type Changes, type Instant, Scheduler, SchedulerError, SECOND } from '../../src/core/index.ts';
import { type Scenario, START } from './scenario.ts';

/** Multiplies the number of generated cases: `PROPERTY_FACTOR=10 npx vitest run test/property`. */
const factor = Number(process.env.PROPERTY_FACTOR ?? 1);

export const runs = (count: number): number => Math.ceil(count * factor);

/** Generated cases take long on a busy machine. */
export const PATIENT = { timeout: 300_000 * Math.max(1, factor) };

export interface Step {
  readonly at: Instant;
  readonly changes: Changes;
}

/** A run that takes more steps is taken to be endless. */
const maxSteps = 3000;

/** Steps through a scenario from one change to the next, in the order of R30. */
export class Run {
  scheduler: Scheduler;
  at: Instant = START;
  private nextRequest = 0;
  private nextCancellation = 0;
  private done = false;

  constructor(readonly scenario: Scenario) {
    this.scheduler = Scheduler.create(scenario.site, scenario.config);
  }

  *[Symbol.iterator](): Generator<Step, void, void> {
    for (let count = 0; !this.done; count += 1) {
      if (count > maxSteps) throw new Error(`the run goes on and on at ${this.at}`);
      yield this.step();
    }
  }

  /** Handles everything at the current instant, then advances to the next. */
  step(): Step {
    const { scheduler, at } = this;
    const { requests, cancellations } = this.scenario;
    scheduler.endPrematurely(at);
    for (; isDue(cancellations[this.nextCancellation], at); this.nextCancellation += 1)
      cancel(scheduler, at, cancellations[this.nextCancellation]?.leaseId ?? 0);
    scheduler.advance(at);
    for (let next = requests[this.nextRequest]; next && next.at <= at; next = requests[this.nextRequest]) {
      scheduler.request(at, next.request);
      this.nextRequest += 1;
    }
    this.schedule(at);
    scheduler.advance(at);
    const changes = scheduler.takeChanges();
    this.moveOn(changes);
    return { at, changes };
  }

  /** One pass; tests may override it. */
  schedule(at: Instant): void {
    this.scheduler.schedule(at);
  }

  private moveOn(changes: Changes): void {
    const { requests, cancellations } = this.scenario;
    const times = [
      this.scheduler.nextChangepoint(this.at),
      requests[this.nextRequest]?.at,
      cancellations[this.nextCancellation]?.at,
    ].filter((time) => typeof time === 'number');
    const waits = this.scheduler.queueLength > 0 && changes.events.length > 0;
    if (times.length > 0) this.at = Math.min(...times);
    else if (waits) this.at += SECOND;
    else this.done = true;
  }
}

const isDue = (item: { readonly at: Instant } | undefined, at: Instant): boolean => item !== undefined && item.at <= at;

/** Cancels like a user, possibly too late or with a wrong number. */
export const cancel = (scheduler: Scheduler, at: Instant, leaseId: number): void => {
  try {
    scheduler.cancel(at, leaseId);
  } catch (error) {
    const known = error instanceof SchedulerError && ['LEASE_NOT_FOUND', 'LEASE_ENDED'].includes(error.code);
    if (!known) throw error;
  }
};

/** Runs a whole scenario. */
export const runThrough = (scenario: Scenario): Step[] => [...new Run(scenario)];
