/** Random changes to running leases, and their invariants. */
import fc from 'fast-check';
import { expect } from 'vitest';
import {
  type Collisions,
  DAY,
  type Instant,
  type LeaseUpdate,
  type MaintenanceRecord,
  type NodeState,
  type PlannedUpdate,
  Scheduler,
  SchedulerError,
  SECOND,
  type Snapshot,
} from '../../src/core/index.ts';
import { capacityFaults, chainFaults, expectNoFaults } from '../support/invariants/index.ts';
import { Ledger } from './ledger.ts';
import { type Scenario, START, scenarios } from './scenario.ts';

export type Command = { readonly at: Instant } & (
  | { readonly kind: 'update'; readonly lease: number; readonly update: LeaseUpdate }
  | { readonly kind: 'cancel'; readonly lease: number }
  | { readonly kind: 'node'; readonly node: number; readonly set: NodeState; readonly collisions: Collisions }
  | { readonly kind: 'maintenance'; readonly maintenance: MaintenanceRecord; readonly collisions: Collisions }
  | { readonly kind: 'endMaintenance'; readonly name: string }
);

export interface LiveScenario extends Scenario {
  readonly commands: readonly Command[];
}

const instant = fc.nat({ max: 4000 }).map((second) => START + second * SECOND);
const length = fc.constantFrom(1, 10, 61, 300, 600, 900, 1800, 3600, 7200).map((value) => value * SECOND);
const collisions = fc.constantFrom<Collisions[]>('REFUSE', 'DISPLACE', 'DISPLACE');

function commandsFor(leases: number, nodes: number): fc.Arbitrary<Command> {
  const lease = fc.integer({ min: 1, max: leases + 1 });
  const node = fc.integer({ min: 1, max: nodes });
  const update = fc.record(
    { duration: length, start: instant, deadline: instant, asFarAsPossible: fc.boolean() },
    { requiredKeys: [] },
  );
  return fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('update' as const),
        at: instant,
        lease,
        update: fc.oneof(update, fc.record({ duration: length })),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), at: instant, lease }) },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('node' as const),
        at: instant,
        node,
        set: fc.constantFrom<NodeState[]>('UP', 'UP', 'DRAINING', 'DOWN'),
        collisions,
      }),
    },
    {
      weight: 3,
      arbitrary: fc
        .record({
          at: instant,
          name: fc.constantFrom('a', 'b', 'c'),
          nodes: fc.array(node, { minLength: 1, maxLength: 2 }),
          wait: fc.oneof(fc.constant(0), length),
          length,
          collisions,
        })
        .map(({ at, name, nodes: some, wait, length: lasts, collisions: how }) => ({
          kind: 'maintenance' as const,
          at,
          maintenance: { name, nodes: some, start: at + wait, end: at + wait + lasts },
          collisions: how,
        })),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('endMaintenance' as const),
        at: instant,
        name: fc.constantFrom('a', 'b', 'c'),
      }),
    },
  );
}

/** Replaces some of the requests with requests that have a deadline. */
const withDeadlines = (scenario: Scenario): fc.Arbitrary<Scenario> =>
  fc
    .array(
      fc.record({
        is: fc.boolean(),
        wait: fc.constantFrom(null, 0, 60, 600),
        slack: fc.constantFrom(0, 10, 100, 600, 3600),
      }),
      { minLength: scenario.requests.length, maxLength: scenario.requests.length },
    )
    .map((choices) => ({
      ...scenario,
      requests: scenario.requests.map(({ at, request }, index) => {
        const { is, wait, slack } = choices[index] as (typeof choices)[number];
        if (!is) return { at, request };
        const start = wait === null ? null : at + wait * SECOND;
        const deadline = (start ?? at) + request.duration + (slack + 120) * SECOND;
        return { at, request: { ...request, type: 'DEADLINE' as const, start, deadline } };
      }),
    }));

export const liveScenarios: fc.Arbitrary<LiveScenario> = scenarios()
  .chain(withDeadlines)
  .chain((scenario) =>
    fc
      .record({
        commands: fc.array(commandsFor(scenario.requests.length, scenario.site.nodes.length), {
          minLength: 1,
          maxLength: 10,
        }),
      })
      .map(({ commands }) => {
        // At the end every node is up again, so that every lease can end.
        const last = START + DAY;
        const up = scenario.site.nodes.map(
          ({ number }): Command => ({
            kind: 'node',
            at: last,
            node: number,
            set: 'UP',
            collisions: 'DISPLACE',
          }),
        );
        return { ...scenario, commands: [...commands.sort((a, b) => a.at - b.at), ...up] };
      }),
  );

export interface Closed {
  readonly node: number;
  readonly why: NodeState | 'MAINTENANCE';
  readonly from: Instant;
  to: Instant;
}

const maxSteps = 3000;

/** Steps through a scenario from instant to instant, like a simulation, and checks each step. */
export class LiveRun {
  readonly ledger: Ledger;
  readonly answers: (string | null)[] = [];
  readonly closed: Closed[] = [];
  scheduler: Scheduler;
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
    for (
      let next = scenario.commands[this.nextCommand];
      next && next.at <= at;
      next = scenario.commands[this.nextCommand]
    ) {
      this.nextCommand += 1;
      this.carryOut(next);
      this.commit();
    }
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
    const times = [
      this.scheduler.nextChangepoint(this.at),
      requests[this.nextRequest]?.at,
      commands[this.nextCommand]?.at,
    ].filter((time) => typeof time === 'number');
    if (times.length === 0 && this.scheduler.queueLength > 0 && this.steps < maxSteps) {
      this.at += SECOND;
      return this.stuck++ < 2;
    }
    if (times.length === 0) return false;
    this.at = Math.min(...times);
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
      if (JSON.stringify(this.scheduler.snapshot()) !== expected)
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
    const { leases, reservations, withdrawn, events, actions, nodes, maintenance, site } =
      this.scheduler.takeChanges();
    const count = [leases, reservations, withdrawn, events, actions, nodes, maintenance].reduce(
      (sum, each) => sum + each.length,
      site ? 1 : 0,
    );
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
      if (error instanceof SchedulerError && error.code === 'EXTENSION_BLOCKED') return;
      throw error;
    }
    throw new Error(`${JSON.stringify(command)}: more than ${maxDuration} is possible`);
  }

  /** A copy of the scheduler for trials. */
  copy(reevaluation?: 'in-pass'): Scheduler {
    const { site, config } = this.scenario;
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
    const { site } = this.scenario;
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

export function give(scheduler: Scheduler, command: Command, at: Instant): void {
  switch (command.kind) {
    case 'update':
      scheduler.update(at, command.lease, command.update);
      break;
    case 'cancel':
      scheduler.cancel(at, command.lease);
      break;
    case 'node':
      scheduler.setNodeState(at, command.node, command.set, command.collisions);
      break;
    case 'maintenance':
      scheduler.planMaintenance(at, command.maintenance, command.collisions);
      break;
    case 'endMaintenance':
      scheduler.endMaintenance(at, command.name);
  }
}

interface Holding {
  readonly id: number;
  readonly vmId: number | null;
  readonly kind: string;
  readonly start: Instant;
  readonly end: Instant;
  readonly machines: Readonly<Record<string, number>> | null;
  readonly moves: Readonly<Record<string, readonly [number, number]>> | null;
  readonly targets: Readonly<Record<string, unknown>> | null;
}

/** What ends on a draining node what began there earlier. */
const closing: readonly string[] = ['SUSPENSION', 'SHUTDOWN'];

/**
 * Nothing of a lease lies on a node that is DOWN or under maintenance, its image and the source of its memory included,
 * and nothing starts on one that is draining. `others` are all reservations: what goes on is looked up there.
 */
export function closureFaults(
  reservations: readonly Holding[],
  closed: readonly Closed[],
  now: Instant,
  others: readonly Holding[] = reservations,
): string[] {
  return reservations.flatMap((reservation) => {
    const { id, kind, start, end, machines, moves, targets } = reservation;
    const towards = new Set([
      ...Object.values(machines ?? {}),
      ...Object.values(moves ?? {}).map(([, to]) => to),
      ...Object.keys(targets ?? {}).map(Number),
    ]);
    const touched = new Set([...towards, ...Object.values(moves ?? {}).map(([from]) => from)]);
    return closed
      .filter(({ node, why, from, to }) => {
        if (start === end || from >= to) return false;
        if (why !== 'DRAINING') return touched.has(node) && start < to && end > Math.max(from, 0);
        if (!towards.has(node) || closing.includes(kind)) return false;
        return start >= from && start < to && !isResumedBefore(reservation, from, others);
      })
      .map(
        ({ node, why, from }) =>
          `reservation ${id} (${kind}) from ${start} to ${end} is on node ${node}, which is ${why} from ${from}, at ${now}`,
      );
  });
}

/** Whether a reservation belongs to a resumption of all machines that had begun by an instant. */
function isResumedBefore({ id, kind, vmId }: Holding, instant: Instant, others: readonly Holding[]): boolean {
  if (kind !== 'VM' && kind !== 'RESUMPTION') return false;
  return others.some(
    (other) => other.kind === 'RESUMPTION' && other.vmId === (vmId ?? id) && other.start < instant,
  );
}
