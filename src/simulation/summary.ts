import type { Amounts, LeaseState, LeaseType, ReservationKind, SiteSpec } from '../core/index.ts';
import type { LeaseResult, Seconds, SimulationResult } from './result.ts';
import type { Workload } from './workload.ts';

/** Shorter leases count as this long in a bounded slowdown. */
const SLOWDOWN_BOUND: Seconds = 10;
const PERCENTILES = [50, 90, 95, 99] as const;

export interface Distribution {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** What a person wants to know of a run. */
export interface RunSummary {
  readonly trace: string | null;
  readonly nodes: number;
  readonly leases: number;
  /** Type -> state in which its leases are at the end -> how many. */
  readonly outcomes: Readonly<Partial<Record<LeaseType, Readonly<Partial<Record<LeaseState, number>>>>>>;
  /** Of best-effort leases that are done: from submission to start, in seconds. Null when there is none. */
  readonly waitingTime: Distribution | null;
  /** Of best-effort leases that are done: (waiting + running) / max(running, 10 s), at least 1. */
  readonly boundedSlowdown: Distribution | null;
  /** Share of the site's CPU that machines ran on, from the first submission to the last end. */
  readonly utilization: number;
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
  const waiting: number[] = [];
  const slowdown: number[] = [];
  let cpuSeconds = 0;
  let first = Number.POSITIVE_INFINITY;
  let last = 0;

  for (const lease of result.leases) {
    const states = outcomes[lease.type] ?? {};
    outcomes[lease.type] = states;
    states[lease.state] = (states[lease.state] ?? 0) + 1;
    first = Math.min(first, lease.submit);
    const machines = machinesOf.get(lease.id) ?? [];
    let cpu = cpuOf.get(machines);
    if (cpu === undefined) {
      cpu = machines.map((amounts) => amountOf(amounts, 'CPU'));
      cpuOf.set(machines, cpu);
    }
    for (const { kind, start, end, nodes } of lease.reservations) {
      reservations[kind] = (reservations[kind] ?? 0) + 1;
      last = Math.max(last, end);
      if (kind !== 'VM') continue;
      let running = 0;
      for (const machine of Object.keys(nodes ?? {})) running += cpu[Number(machine) - 1] ?? 0;
      cpuSeconds += running * (end - start);
    }
    collect(lease, waiting, slowdown);
  }

  const makespan = Math.max(0, last - first);
  const cpuTotal = site.nodes.reduce((sum, node) => sum + amountOf(node.capacity, 'CPU'), 0);
  return {
    trace: workload.name,
    nodes: site.nodes.length,
    leases: result.leases.length,
    outcomes,
    waitingTime: distribution(waiting),
    boundedSlowdown: distribution(slowdown),
    utilization: makespan === 0 || cpuTotal === 0 ? 0 : cpuSeconds / (cpuTotal * makespan),
    makespan,
    reservations,
    end: result.summary.end,
  };
}

function collect(lease: LeaseResult, waiting: number[], slowdown: number[]): void {
  if (lease.type !== 'BEST_EFFORT' || lease.state !== 'DONE' || lease.start === null || lease.end === null)
    return;
  waiting.push(lease.start - lease.submit);
  slowdown.push(Math.max(1, (lease.end - lease.submit) / Math.max(lease.accumulated, SLOWDOWN_BOUND)));
}

function amountOf(amounts: Amounts, type: string): number {
  const amount = amounts[type] ?? 0;
  return typeof amount === 'number' ? amount : amount.reduce((sum, one) => sum + one, 0);
}

/** Percentiles by nearest rank. */
export function distribution(values: readonly number[]): Distribution | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const at = (percent: number) => sorted[Math.ceil((percent / 100) * sorted.length) - 1] ?? 0;
  const [p50, p90, p95, p99] = PERCENTILES.map(at) as [number, number, number, number];
  const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
  return { count: sorted.length, mean, p50, p90, p95, p99, max: sorted.at(-1) ?? 0 };
}
