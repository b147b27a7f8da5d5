/**
 * Asks the hosts whether the machines that should be running are: after a start, at an interval, and when an adapter
 * says so.
 */

import type { Logger } from 'pino';
import type { Changes, ReservationRecord } from '../../core/index.ts';
import { Semaphore, withTimeout } from '../async.ts';
import type { Clock } from '../clock.ts';
import type { EngineLimits } from '../limits.ts';
import type { Adapter, HostedMachine, MachineStatus } from '../ports.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { HostHealth } from './health.ts';
import type { HostLedger } from './ledger.ts';
import { type ActionReport, noReport } from './report.ts';
import type { Strays } from './strays.ts';

export interface InspectionOptions {
  readonly adapter: Pick<Adapter, 'inspect' | 'list' | 'watch' | 'remembers'>;
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

/** What should be running: a VM reservation that is ACTIVE. */
export type RunningMachines = Pick<ReservationRecord, 'id' | 'leaseId' | 'machines'>;

/** There is no such machine: leases are numbered from 1. */
const noMachine = { leaseId: 0, machine: 0 };

/** One term's view of what should be running. Hosts that do not answer are believed: they are asked again. */
export class Inspection {
  /** By lease. */
  private readonly running = new Map<number, RunningMachines>();
  private readonly slots: Semaphore;
  /** Leases that have already been reported. */
  private readonly reported = new Set<number>();

  constructor(
    running: readonly RunningMachines[],
    private readonly options: InspectionOptions,
  ) {
    this.slots = new Semaphore(options.limits.dispatch.concurrentCalls);
    for (const each of running) this.running.set(each.leaseId, each);
  }

  /** Takes in what a commit changed, before its actions are dispatched. */
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

  /** Asks at once, and from then on at the interval and when the adapter says that something stopped. Never rejects. */
  async run(): Promise<void> {
    const { adapter, clock, limits, signal } = this.options;
    adapter.watch?.((place) => void this.inspectLeases([place.leaseId]), signal);
    // An adapter without a memory knows nothing but what `watch` tells.
    while (!signal.aborted && adapter.remembers) {
      if (adapter.list) await this.inspectNodes();
      else await Promise.all([this.inspectLeases([...this.running.keys()]), this.askDownNodes()]);
      await clock.sleep(limits.inspectInterval, signal);
    }
  }

  private async inspectLeases(leases: readonly number[]): Promise<void> {
    await Promise.all(
      leases.map(async (leaseId) => {
        const before = this.quiet(leaseId);
        if (!before) return;
        const statuses = new Map<string, MachineStatus>();
        for (const [machine, node] of Object.entries(before.machines ?? {})) {
          const place = { leaseId, machine: Number(machine), node };
          const status = await this.ask(node, (limit) => this.options.adapter.inspect(place, limit));
          if (status === null) return;
          this.options.health.answered(node);
          statuses.set(machine, status);
        }
        if (this.quiet(leaseId) === before) this.judge(before, statuses);
      }),
    );
  }

  /** Whether hosts that did not answer answer again, where nothing else is to be asked of them. */
  private async askDownNodes(): Promise<void> {
    const { adapter, health } = this.options;
    await Promise.all(
      health.downNodes.map(async (node) => {
        const status = await this.ask(node, (limit) => adapter.inspect({ ...noMachine, node }, limit));
        if (status !== null) health.answered(node);
      }),
    );
  }

  /** One question per node. */
  private async inspectNodes(): Promise<void> {
    const { list } = this.options.adapter;
    const before = new Map([...this.running.keys()].map((leaseId) => [leaseId, this.quiet(leaseId)]));
    const { health, ledger, strays } = this.options;
    const found = new Map<number, readonly HostedMachine[]>();
    await Promise.all(
      ledger.nodeNumbers.map(async (node) => {
        const machines = await this.ask(
          node,
          (limit) => list?.call(this.options.adapter, node, limit) ?? Promise.resolve([]),
        );
        if (machines === null) return;
        found.set(node, machines);
        strays.listed(node, machines);
        health.answered(node);
      }),
    );
    for (const [leaseId, reservation] of before) {
      if (!reservation || this.quiet(leaseId) !== reservation) continue;
      const statuses = new Map<string, MachineStatus>();
      for (const [machine, node] of Object.entries(reservation.machines ?? {})) {
        const here = found
          .get(node)
          ?.find((each) => each.leaseId === leaseId && each.machine === Number(machine));
        if (found.has(node)) statuses.set(machine, here?.status ?? 'absent');
      }
      if (statuses.size === Object.keys(reservation.machines ?? {}).length) this.judge(reservation, statuses);
    }
  }

  /**
   * What should be running of a lease; null while its own actions change it, since what hosts say then means nothing.
   */
  private quiet(leaseId: number): RunningMachines | null {
    if (this.options.signal.aborted || this.reported.has(leaseId)) return null;
    return this.options.dispatcher.isBusyWith(leaseId) ? null : (this.running.get(leaseId) ?? null);
  }

  /**
   * A lease is over when all of its machines have stopped by themselves, and has failed when one is gone in another
   * way.
   */
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

  /** Null when the host does not answer in time. */
  private async ask<T>(node: number, question: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    const { clock, health, limits, signal } = this.options;
    const release = await this.slots.acquire();
    const timer = new AbortController();
    void clock.sleep(limits.dispatch.slowCall, timer.signal).then(release);
    try {
      return await withTimeout(question, {
        clock,
        duration: limits.dispatch.callTimeout,
        signal,
        reason: () => new Error('no answer'),
      });
    } catch (error) {
      if (!signal.aborted) health.failed(node, error);
      return null;
    } finally {
      timer.abort();
      release();
    }
  }
}
