/**
 * Checks on the hosts that the machines that should be running are: after a start, at an interval, and when an adapter
 * reports a change.
 */

import type { Logger } from 'pino';
import type { Changes, ReservationRecord } from '../../core/index.ts';
import { Semaphore, withTimeout } from '../async.ts';
import type { Clock } from '../clock.ts';
import type { EngineLimits } from '../limits.ts';
import { type Adapter, type HostedMachine, HostUnreachable, type MachineStatus } from '../ports.ts';
import type { Admission } from './admission.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { HostHealth } from './health.ts';
import type { HostLedger } from './ledger.ts';
import { type ActionReport, noReport } from './report.ts';
import type { Strays } from './strays.ts';

export interface InspectionOptions {
  readonly adapter: Pick<Adapter, 'inspect' | 'list' | 'admits' | 'on' | 'watch' | 'remembers'>;
  readonly admission: Admission;
  readonly dispatcher: Pick<Dispatcher, 'isBusyWith'>;
  readonly clock: Clock;
  readonly limits: Pick<EngineLimits, 'dispatch' | 'inspectInterval'>;
  readonly log: Logger;
  readonly report: (report: ActionReport) => void;
  readonly ledger: Pick<HostLedger, 'nodeNumbers'>;
  readonly health: HostHealth;
  readonly strays: Strays;
  readonly signal: AbortSignal;
}

/** An ACTIVE VM reservation, whose machines should be running. */
export type RunningMachines = Pick<ReservationRecord, 'id' | 'leaseId' | 'machines'>;

/** No such machine exists: lease numbers start at 1. */
const noMachine = { leaseId: 0, machine: 0 };

/** The machines that should be running in one term. A host that does not answer proves nothing: it is asked again. */
export class Inspection {
  /** Keyed by lease. */
  private readonly running = new Map<number, RunningMachines>();
  private readonly slots: Semaphore;
  /** Leases that have already been reported. */
  private readonly reported = new Set<number>();
  /** Leases that are being inspected one by one; whether to do so once more. */
  private readonly inspecting = new Map<number, boolean>();
  /** Questions to nodes whose answer is awaited. */
  private readonly asked = new Set<string>();

  constructor(
    running: readonly RunningMachines[],
    private readonly options: InspectionOptions,
  ) {
    this.slots = new Semaphore(options.limits.dispatch.concurrentCalls);
    for (const each of running) this.running.set(each.leaseId, each);
  }

  /** Applies the changes of a commit before its actions are dispatched. */
  committed({ reservations }: Pick<Changes, 'reservations'>): void {
    for (const reservation of reservations) {
      const { id, kind, leaseId, state } = reservation;
      if (kind !== 'VM') continue;
      if (state === 'ACTIVE') {
        this.running.set(leaseId, reservation);
        this.reported.delete(leaseId);
      } else if (this.running.get(leaseId)?.id === id) this.running.delete(leaseId);
    }
  }

  /**
   * Inspects at once, then at the interval and when the adapter reports a stopped machine. A host that does not answer
   * delays nothing but what concerns it. Never rejects.
   */
  async run(): Promise<void> {
    const { adapter, clock, limits, signal } = this.options;
    adapter.watch?.((place) => void this.inspectLease(place.leaseId), signal);
    // An adapter without memory knows only what `watch` reports.
    while (!signal.aborted && adapter.remembers) {
      this.inspectAll();
      await clock.sleep(limits.inspectInterval, signal);
    }
  }

  /** While a lease is being inspected, any number of changes leads to one more inspection. */
  private async inspectLease(leaseId: number): Promise<void> {
    if (this.inspecting.has(leaseId)) {
      this.inspecting.set(leaseId, true);
      return;
    }
    const { clock, limits, signal } = this.options;
    for (let again = true; again && !signal.aborted; again = this.inspecting.get(leaseId) ?? false) {
      if (this.inspecting.has(leaseId)) await clock.sleep(limits.dispatch.pollInterval, signal);
      this.inspecting.set(leaseId, false);
      await this.askMachines(leaseId);
    }
    this.inspecting.delete(leaseId);
  }

  private async askMachines(leaseId: number): Promise<void> {
    const before = this.quiet(leaseId);
    if (!before) return;
    const statuses = new Map<string, MachineStatus>();
    for (const [machine, node] of Object.entries(before.machines ?? {})) {
      const place = { leaseId, machine: Number(machine), node };
      const status = await this.ask(node, (limit) => this.options.adapter.inspect(place, limit));
      if (status === null) return;
      // It may have been started by an earlier process.
      if (status === 'absent' && !this.on(node).remembers) return;
      this.options.health.answered(node);
      statuses.set(machine, status);
    }
    if (this.quiet(leaseId) === before) this.judge(before, statuses);
  }

  /** What the adapter can do on a node. */
  private on(node: number): Pick<Adapter, 'remembers' | 'list' | 'admits'> {
    const { adapter } = this.options;
    return adapter.on?.(node) ?? adapter;
  }

  /** Nodes are asked for all of their machines where the adapter can list them, elsewhere for one after the other. */
  private inspectAll(): void {
    const answers = this.listNodes();
    for (const [leaseId, { machines }] of this.running) {
      const nodes = Object.values(machines ?? {});
      const reservation = this.quiet(leaseId);
      if (nodes.every((node) => answers.has(node))) {
        if (reservation) void this.judgeListed(reservation, answers);
      } else if (nodes.every((node) => this.on(node).remembers)) void this.inspectLease(leaseId);
    }
    this.askDownNodes(answers);
    this.askAdmission();
  }

  /** Asks whether hosts take new machines. */
  private askAdmission(): void {
    const { adapter, admission, ledger } = this.options;
    for (const node of ledger.nodeNumbers.filter((each) => this.on(each).admits))
      void this.askOnce('admits', node, async (limit) => ({
        reason: (await adapter.admits?.(node, limit)) ?? null,
      })).then((answer) => answer && admission.told(node, answer.reason));
  }

  /** Probes silent hosts that have no other pending inspection. */
  private askDownNodes(listed: ReadonlyMap<number, unknown>): void {
    const { adapter, health } = this.options;
    for (const node of health.downNodes) {
      if (listed.has(node)) continue;
      void this.askOnce('machines', node, (limit) => adapter.inspect({ ...noMachine, node }, limit)).then(
        (status) => status !== null && health.answered(node),
      );
    }
  }

  /** The machines on each node where they can be listed; null from a node that does not answer. */
  private listNodes(): ReadonlyMap<number, Promise<readonly HostedMachine[] | null>> {
    const { adapter, health, ledger, strays } = this.options;
    const listing = ledger.nodeNumbers.filter((node) => this.on(node).remembers && this.on(node).list);
    return new Map(
      listing.map((node) => {
        const asked = this.askOnce('machines', node, async (limit) => (await adapter.list?.(node, limit)) ?? []);
        const answered = asked.then((machines) => {
          if (machines === null) return null;
          strays.listed(node, machines);
          health.answered(node);
          return machines;
        });
        return [node, answered] as const;
      }),
    );
  }

  private async judgeListed(
    reservation: RunningMachines,
    answers: ReadonlyMap<number, Promise<readonly HostedMachine[] | null>>,
  ): Promise<void> {
    const { leaseId, machines } = reservation;
    const statuses = new Map<string, MachineStatus>();
    for (const [machine, node] of Object.entries(machines ?? {})) {
      const found = (await answers.get(node)) ?? null;
      if (found === null) return;
      const here = found.find((each) => each.leaseId === leaseId && each.machine === Number(machine));
      statuses.set(machine, here?.status ?? 'absent');
    }
    if (this.quiet(leaseId) === reservation) this.judge(reservation, statuses);
  }

  /**
   * The machines of a lease that should be running; null while actions of the lease are changing them, when an
   * inspection would be meaningless.
   */
  private quiet(leaseId: number): RunningMachines | null {
    if (this.options.signal.aborted || this.reported.has(leaseId)) return null;
    return this.options.dispatcher.isBusyWith(leaseId) ? null : (this.running.get(leaseId) ?? null);
  }

  /** A lease has ended when all of its machines stopped by themselves, and has failed when one is missing otherwise. */
  private judge({ leaseId, machines }: RunningMachines, statuses: ReadonlyMap<string, MachineStatus>): void {
    const { log, report } = this.options;
    const lost = [...statuses].find(([, status]) => status !== 'running' && status !== 'stopped');
    if (lost) {
      const [machine, status] = lost;
      const node = machines?.[machine] ?? 0;
      const message = `machine ${machine} on node ${node} should be running, but is ${status}`;
      log.error({ lease: leaseId, machine: Number(machine), node }, message);
      report({ ...noReport, failures: [{ leaseId, code: 'MACHINE_LOST', message, node }] });
    } else if (statuses.size > 0 && [...statuses.values()].every((status) => status === 'stopped')) {
      log.info({ lease: leaseId }, 'all machines of the lease have stopped by themselves');
      report({ ...noReport, ended: [leaseId] });
    } else return;
    this.reported.add(leaseId);
  }

  /** The same for one question of a kind to a node at a time: null while it has not answered an earlier one. */
  private async askOnce<T>(
    kind: string,
    node: number,
    question: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | null> {
    const key = `${kind} ${node}`;
    if (this.asked.has(key)) return null;
    this.asked.add(key);
    try {
      return await this.ask(node, question);
    } finally {
      this.asked.delete(key);
    }
  }

  /** Null if the host does not answer in time. */
  private async ask<T>(node: number, question: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    const { clock, health, limits, log, signal } = this.options;
    const release = await this.slots.acquire();
    const timer = new AbortController();
    void clock.sleep(limits.dispatch.slowCall, timer.signal).then(release);
    try {
      return await withTimeout(question, {
        clock,
        duration: limits.dispatch.callTimeout,
        signal,
        reason: () => new HostUnreachable('no answer'),
      });
    } catch (error) {
      if (signal.aborted) return null;
      if (error instanceof HostUnreachable) health.failed(node, error);
      else log.warn({ node, err: error }, 'the machines of a node cannot be inspected');
      return null;
    } finally {
      timer.abort();
      release();
    }
  }
}
