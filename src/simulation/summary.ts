import {
  type Amounts,
  getOrCreate,
  type LeaseState,
  type LeaseType,
  type ReservationKind,
  type SiteSpec,
  totalAmount,
} from '../core/index.ts';
import { type LeaseMeasures, measureLeases } from './lease-measures.ts';
import type { Seconds, SimulationResult } from './result.ts';
import type { Workload } from './workload.ts';

const percentiles = [50, 90, 95, 99] as const;

export interface Distribution {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/**
 * The statistics of a run. Times in seconds. Distributions are those of best-effort leases that are DONE; null without
 * any.
 */
export interface RunSummary {
  readonly trace: string | null;
  readonly nodes: number;
  readonly leases: number;
  /** Type -> final state -> number of leases. */
  readonly outcomes: Readonly<Partial<Record<LeaseType, Readonly<Partial<Record<LeaseState, number>>>>>>;
  /** From the submission to the last start. */
  readonly waitingTime: Distribution | null;
  /** From the submission to the end. */
  readonly turnaround: Distribution | null;
  /** Turnaround / max(running time, 10 s), at least 1. */
  readonly boundedSlowdown: Distribution | null;
  /** From the beginning of each suspension until the machines run again. */
  readonly suspendedTime: Distribution | null;
  /** How often leases went back to the queue after their machines had run. */
  readonly requeues: number;
  /** Running time of machines that requeues threw away: machines times seconds. */
  readonly lostVmTime: Seconds;
  /** Share of the CPU of the site on which machines ran, from the first submission to the last end. */
  readonly utilization: number;
  /** The part of `utilization` that leases used whose machines ran to the end: neither thrown away nor cut off. */
  readonly goodput: number;
  /** From the first submission to the last end. */
  readonly makespan: Seconds;
  /** Executed reservations by kind. */
  readonly reservations: Readonly<Partial<Record<ReservationKind, number>>>;
  /** When the run stopped. */
  readonly end: Seconds;
}

export function summarize(result: SimulationResult, workload: Workload, site: SiteSpec): RunSummary {
  const outcomes: Partial<Record<LeaseType, Partial<Record<LeaseState, number>>>> = {};
  const reservations: Partial<Record<ReservationKind, number>> = {};
  const machinesOf = new Map(workload.leases.map((lease) => [lease.id, lease.machines]));
  const cpuOf = new Map<readonly Amounts[], number[]>();
  const measures = measureLeases(result);
  const finished: LeaseMeasures[] = [];
  let requeues = 0;
  let lostVmTime = 0;
  let cpuSeconds = 0;
  let goodCpuSeconds = 0;
  let first = Number.POSITIVE_INFINITY;
  let last = 0;

  for (const lease of result.leases) {
    const states = outcomes[lease.type] ?? {};
    outcomes[lease.type] = states;
    states[lease.state] = (states[lease.state] ?? 0) + 1;
    first = Math.min(first, lease.submit);
    const machines = machinesOf.get(lease.id) ?? [];
    const cpu = getOrCreate(cpuOf, machines, () => machines.map(({ CPU }) => totalAmount(CPU)));
    for (const { kind, start, end, nodes } of lease.reservations) {
      reservations[kind] = (reservations[kind] ?? 0) + 1;
      last = Math.max(last, end);
      if (kind !== 'VM') continue;
      let running = 0;
      for (const machine of Object.keys(nodes ?? {})) running += cpu[Number(machine) - 1] ?? 0;
      cpuSeconds += running * (end - start);
    }
    const measured = measures.get(lease.id) as LeaseMeasures;
    requeues += measured.requeues;
    lostVmTime += measured.lostVmTime;
    if (lease.state !== 'DONE') continue;
    goodCpuSeconds += cpu.reduce((sum, amount) => sum + amount, 0) * lease.accumulated;
    if (lease.type === 'BEST_EFFORT') finished.push(measured);
  }

  const makespan = Math.max(0, last - first);
  const cpuTotal = site.nodes.reduce((sum, { capacity }) => sum + totalAmount(capacity.CPU), 0) * makespan;
  const of = (value: (measured: LeaseMeasures) => number | null) =>
    distribution(finished.map(value).filter((each) => each !== null));
  return {
    trace: workload.name,
    nodes: site.nodes.length,
    leases: result.leases.length,
    outcomes,
    waitingTime: of(({ waiting }) => waiting),
    turnaround: of(({ turnaround }) => turnaround),
    boundedSlowdown: of(({ boundedSlowdown }) => boundedSlowdown),
    suspendedTime: of(({ suspended }) => suspended),
    requeues,
    lostVmTime,
    utilization: cpuTotal === 0 ? 0 : cpuSeconds / cpuTotal,
    goodput: cpuTotal === 0 ? 0 : goodCpuSeconds / cpuTotal,
    makespan,
    reservations,
    end: result.summary.end,
  };
}

/** Percentiles by nearest rank. */
export function distribution(values: readonly number[]): Distribution | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const at = (percent: number) => sorted[Math.ceil((percent / 100) * sorted.length) - 1] ?? 0;
  const [p50, p90, p95, p99] = percentiles.map(at) as [number, number, number, number];
  const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
  return { count: sorted.length, mean, p50, p90, p95, p99, max: sorted.at(-1) ?? 0 };
}
