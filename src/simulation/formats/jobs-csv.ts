import type { LeaseState } from '../../core/index.ts';
import { type LeaseMeasures, measureLeases } from '../lease-measures.ts';
import type { LeaseResult, SimulationResult } from '../result.ts';

const columns = [
  'job_id',
  'workload_name',
  'profile',
  'submission_time',
  'requested_number_of_resources',
  'requested_time',
  'success',
  'final_state',
  'starting_time',
  'execution_time',
  'finish_time',
  'waiting_time',
  'turnaround_time',
  'stretch',
  'allocated_resources',
  'consumed_energy',
  'metadata',
] as const;

const finalStates: Readonly<Partial<Record<LeaseState, string>>> = {
  DONE: 'COMPLETED_SUCCESSFULLY',
  REJECTED: 'REJECTED',
  REJECTED_BY_USER: 'REJECTED',
  CANCELLED: 'COMPLETED_KILLED',
  FAILED: 'COMPLETED_FAILED',
};

/**
 * One line per lease in the form of Batsim's `_jobs.csv`, which evalys reads. Resources count from 0: node 1 is
 * resource 0. Fields that a lease has no value for are empty.
 */
export function* writeJobsCsv(result: SimulationResult, name: string): Generator<string, void> {
  const measures = measureLeases(result);
  yield `${columns.join(',')}\n`;
  for (const lease of result.leases) yield row(lease, measures.get(lease.id) as LeaseMeasures, name);
}

function row(lease: LeaseResult, measures: LeaseMeasures, name: string): string {
  const { start, end, accumulated, state } = lease;
  const stretch = measures.turnaround === null || accumulated === 0 ? null : measures.turnaround / accumulated;
  const values: Readonly<Record<(typeof columns)[number], string | number | null>> = {
    job_id: lease.id,
    workload_name: name,
    profile: lease.type.toLowerCase(),
    submission_time: lease.submit,
    requested_number_of_resources: lease.machines,
    requested_time: lease.duration,
    success: state === 'DONE' ? 1 : 0,
    final_state: finalStates[state] ?? 'RUNNING',
    starting_time: start,
    execution_time: start === null ? null : accumulated,
    finish_time: end ?? (start === null ? null : lastEnd(lease)),
    waiting_time: measures.waiting,
    turnaround_time: measures.turnaround,
    stretch,
    allocated_resources: ranges(allocated(lease)),
    consumed_energy: null,
    metadata: null,
  };
  return `${columns.map((column) => quote(values[column])).join(',')}\n`;
}

function lastEnd({ reservations }: LeaseResult): number | null {
  return reservations.reduce<number | null>((last, { end }) => Math.max(last ?? 0, end), null);
}

/** The nodes of the machines since the last start. */
function allocated({ start, reservations }: LeaseResult): number[] {
  const nodes = new Set<number>();
  for (const reservation of reservations) {
    if (reservation.kind !== 'VM' || start === null || reservation.start < start) continue;
    for (const node of Object.values(reservation.nodes ?? {})) nodes.add(node - 1);
  }
  return [...nodes].sort((a, b) => a - b);
}

/** `0-3 5 8-9`. */
function ranges(numbers: readonly number[]): string {
  const parts: [number, number][] = [];
  for (const number of numbers) {
    const last = parts.at(-1);
    if (last !== undefined && last[1] + 1 === number) last[1] = number;
    else parts.push([number, number]);
  }
  return parts.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(' ');
}

function quote(value: string | number | null): string {
  const text = String(value ?? '');
  return /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}
