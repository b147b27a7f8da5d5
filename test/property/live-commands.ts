/** Runs with random changes to leases, nodes and quotas, and the checks of each step. */
import { expect } from 'vitest';
import {
  type Amounts,
  type Instant,
  type PlannedUpdate,
  Scheduler,
  SchedulerError,
  SECOND,
  type SiteSpec,
  type Snapshot,
} from '../../src/core/index.ts';
import { capacityFaults, chainFaults, expectNoFaults } from '../support/invariants/index.ts';
import { type Closed, closureFaults } from './closure-faults.ts';
import { Ledger } from './ledger.ts';
import { type Command, give, type LiveScenario } from './live-scenarios.ts';
import { START } from './scenario.ts';

const maxSteps = 3000;

/** Steps through a scenario from instant to instant, like a simulation, and checks each step. */
export class LiveRun {
  readonly ledger: Ledger;
  readonly answers: (string | null)[] = [];
  readonly closed: Closed[] = [];
  /** The capacity that each node had at most. */
  readonly capacities = new Map<number, Amounts>();
  scheduler: Scheduler;
  /** Whether something other than a command is due at the present instant. */
  private isInstant = true;
  private at: Instant = START;
  private nextRequest = 0;
  private nextCommand = 0;
  private steps = 0;

  constructor(
    readonly scenario: LiveScenario,
    /** The number of instants after which the scheduler is restored from its snapshot each time; 0: never. */
    private readonly restoredEvery: number,
  ) {
    this.scheduler = Scheduler.create(scenario.site, scenario.config);
    this.ledger = new Ledger(this.scheduler.snapshot().site);
  }

  /** The site with every node as large as it ever was. */
  get largestSite(): SiteSpec {
    const { site } = this.scheduler;
    const nodes = site.nodes.map((node) => ({ ...node, capacity: this.capacities.get(node.number) ?? {} }));
    return { ...site, nodes };
  }

  toEnd(): this {
    this.pass(Number.POSITIVE_INFINITY);
    return this;
  }

  /** Takes up to the given number of instants. Returns the last of them. */
  pass(instants: number): Instant {
    for (let left = instants; left > 0; left -= 1) {
      const { at } = this;
      this.step();
      this.steps += 1;
      if (this.steps > maxSteps) throw new Error(`the run goes on and on at ${this.at}`);
      if (!this.moveOn()) return at;
      if (left === 1) return at;
    }
    return this.at;
  }

  private step(): void {
    const { at, scenario } = this;
    this.scheduler.endPrematurely(at);
    this.commit();
    const before = this.answers.length;
    for (
      let next = scenario.commands[this.nextCommand];
      next && next.at <= at;
      next = scenario.commands[this.nextCommand]
    ) {
      this.nextCommand += 1;
      this.carryOut(next);
      this.commit();
    }
    // An instant at which only refused commands fall is no instant of the run.
    if (!this.isInstant && this.answers.slice(before).every((code) => code !== null)) return;
    this.scheduler.advance(at);
    for (
      let next = scenario.requests[this.nextRequest];
      next && next.at <= at;
      next = scenario.requests[this.nextRequest]
    ) {
      this.nextRequest += 1;
      this.scheduler.request(at, next.request);
    }
    this.scheduler.schedule(at);
    this.scheduler.advance(at);
    this.commit();
    const { restoredEvery } = this;
    if (restoredEvery > 0 && this.steps % restoredEvery === 0) this.restore();
  }

  private moveOn(): boolean {
    const { requests, commands } = this.scenario;
    const due = [this.scheduler.nextChangepoint(this.at), requests[this.nextRequest]?.at].filter(
      (time) => typeof time === 'number',
    );
    const times = [...due, commands[this.nextCommand]?.at].filter((time) => typeof time === 'number');
    if (times.length === 0 && this.scheduler.queueLength > 0 && this.steps < maxSteps) {
      this.at += SECOND;
      return this.stuck++ < 2;
    }
    if (times.length === 0) return false;
    this.at = Math.min(...times);
    this.isInstant = due.includes(this.at);
    return true;
  }

  private stuck = 0;

  private carryOut(command: Command): void {
    const { at } = this;
    const before = JSON.stringify(this.scheduler.snapshot());
    const expected = this.rehearse(command);
    const told = this.askAbout(command);
    this.askAboutEnding(command);
    if (JSON.stringify(this.scheduler.snapshot()) !== before)
      throw new Error(`${JSON.stringify(command)} was only rehearsed and changed something`);
    this.expectNoChanges(command);
    try {
      give(this.scheduler, command, at);
      this.answers.push(null);
      if (told?.accepted === false) throw new Error(`${JSON.stringify(command)}: its dry run was refused`);
      this.note(command);
      if (isRehearsed(command) && JSON.stringify(this.scheduler.snapshot()) !== expected)
        throw new Error(`${JSON.stringify(command)} did something else than in its rehearsal`);
    } catch (error) {
      if (!(error instanceof SchedulerError)) throw error;
      if (error.code === 'INTERNAL') throw error;
      this.answers.push(error.code);
      if (JSON.stringify(this.scheduler.snapshot()) !== before)
        throw new Error(`${JSON.stringify(command)} was refused (${error.code}) and changed something`);
      this.expectNoChanges(command);
      if (told?.accepted) throw new Error(`${JSON.stringify(command)}: its dry run was accepted`);
      if (told) this.expectAlternative(command, told);
      if (error.code === 'EXTENSION_BLOCKED') this.expectMaxDuration(command, error.details.maxDuration ?? 0);
    }
  }

  /** The state that a command would lead to. */
  private rehearse(command: Command): string | null {
    // (Quotas cannot be set on trial.)
    if (command.kind === 'quotas') return null;
    try {
      return this.scheduler.rehearse((scheduler) => {
        give(scheduler, command, this.at);
        return JSON.stringify(scheduler.snapshot());
      });
    } catch (error) {
      if (error instanceof SchedulerError) return null;
      throw error;
    }
  }

  /** What the dry run of an update tells; null where it throws. */
  private askAbout(command: Command): PlannedUpdate | null {
    if (command.kind !== 'update') return null;
    try {
      return this.scheduler.dryRunUpdate(this.at, command.lease, command.update);
    } catch (error) {
      if (error instanceof SchedulerError) return null;
      throw error;
    }
  }

  /** The dry run of a cancellation tells the starts that the next pass plans; so on a scheduler that leaves it all. */
  private askAboutEnding(command: Command): void {
    if (command.kind !== 'cancel' || this.scheduler.lease(command.lease) === null) return;
    const { at } = this;
    for (const asked of [this.scheduler, this.copy('in-pass')]) {
      const told = asked.dryRunEnding(at, (scheduler) => scheduler.cancel(at, command.lease));
      const twin = this.copy();
      twin.cancel(at, command.lease);
      twin.schedule(at);
      const planned = told.sooner.map(({ lease }) => twin.lease(lease)?.plannedStart);
      expect(planned).toEqual(told.sooner.map(({ start }) => start));
      expect(told.ends).toEqual([command.lease]);
    }
  }

  /** An advance reservation that is refused as wanted is possible at the start that its dry run names. */
  private expectAlternative(command: Command, { firstPossibleStart: start }: PlannedUpdate): void {
    if (command.kind !== 'update' || start === null) return;
    const lease = this.scheduler.lease(command.lease);
    if (lease?.type !== 'ADVANCE_RESERVATION') return;
    this.copy().update(this.at, command.lease, { ...command.update, start });
  }

  private expectNoChanges(command: Command): void {
    const { leases, reservations, withdrawn, events, actions, nodes, maintenance, site, inventory, quotas } =
      this.scheduler.takeChanges();
    const lists = [leases, reservations, withdrawn, events, actions, nodes, maintenance, inventory, quotas];
    const count = lists.reduce((sum, each) => sum + (each?.length ?? 0), site ? 1 : 0);
    if (count > 0) throw new Error(`${JSON.stringify(command)} was refused and left ${count} changes`);
  }

  /** The maximum duration that a refusal names is accepted, and no longer one is. */
  private expectMaxDuration(command: Command, maxDuration: number): void {
    if (command.kind !== 'update') throw new Error(`only updates extend: ${JSON.stringify(command)}`);
    const other = this.copy();
    other.update(this.at, command.lease, { duration: maxDuration });
    try {
      this.copy().update(this.at, command.lease, { duration: maxDuration + SECOND });
    } catch (error) {
      // (What is beyond the longest duration may be beyond a quota, too.)
      if (error instanceof SchedulerError && ['EXTENSION_BLOCKED', 'QUOTA_EXCEEDED'].includes(error.code)) return;
      throw error;
    }
    throw new Error(`${JSON.stringify(command)}: more than ${maxDuration} is possible`);
  }

  /** A copy of the scheduler for trials. */
  copy(reevaluation?: 'in-pass'): Scheduler {
    const { site } = this.scheduler;
    const { config } = this.scenario;
    const snapshot = JSON.parse(JSON.stringify(this.scheduler.snapshot())) as Snapshot;
    return Scheduler.restore(site, config, snapshot, reevaluation && { reevaluation });
  }

  private restore(): void {
    this.scheduler = this.copy();
    this.scheduler.endPrematurely(this.at);
  }

  private note(command: Command): void {
    if (command.kind === 'node') {
      const open = this.closed.find(
        ({ node, why, to }) => node === command.node && why !== 'MAINTENANCE' && to > this.at,
      );
      if (open?.why === command.set) return;
      if (open) open.to = this.at;
      if (command.set !== 'UP')
        this.closed.push({
          node: command.node,
          why: command.set,
          from: this.at,
          to: Number.POSITIVE_INFINITY,
        });
    }
    if (command.kind === 'maintenance') {
      const { nodes, start, end } = command.maintenance;
      for (const node of nodes) this.closed.push({ node, why: 'MAINTENANCE', from: start, to: end });
      this.names.set(command.maintenance.name, this.closed.slice(-nodes.length));
    }
    if (command.kind === 'endMaintenance')
      for (const each of this.names.get(command.name) ?? []) each.to = Math.max(each.from, this.at);
  }

  private readonly names = new Map<string, Closed[]>();

  private commit(): void {
    this.ledger.apply(this.scheduler.takeChanges());
    const { site } = this.scheduler;
    for (const { number, capacity } of site.nodes)
      this.capacities.set(number, larger(this.capacities.get(number), capacity));
    const planned = this.ledger.planned();
    expectNoFaults([...capacityFaults(site, planned), ...chainFaults(planned)]);
    expectNoFaults(
      closureFaults(
        planned.filter(({ state }) => state === 'SCHEDULED'),
        this.closed,
        this.at,
        [...this.ledger.reservations.values()],
      ),
    );
    const ours = this.ledger.snapshot();
    const theirs = this.scheduler.snapshot();
    for (const part of ['site', 'leases', 'reservations'] as const) {
      const [a, b] = [JSON.stringify(ours[part]), JSON.stringify(theirs[part])];
      if (a !== b) throw new Error(`the changes do not lead to the snapshot's ${part}:\n${a}\n${b}`);
    }
  }
}

/** Nodes and quotas are not changed on trial: such commands are only checked. */
function isRehearsed({ kind }: Command): boolean {
  return !['addNodes', 'updateNode', 'removeNode', 'quotas'].includes(kind);
}

function larger(a: Amounts = {}, b: Amounts): Amounts {
  const types = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return Object.fromEntries(
    types.map((type) => {
      const [one, other] = [a[type] ?? 0, b[type] ?? 0];
      if (typeof one === 'number' && typeof other === 'number') return [type, Math.max(one, other)];
      const [ones, others] = [[one].flat(), [other].flat()];
      const instances = Math.max(ones.length, others.length);
      return [type, Array.from({ length: instances }, (_, i) => Math.max(ones[i] ?? 0, others[i] ?? 0))];
    }),
  );
}
