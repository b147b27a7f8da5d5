import { type Amounts, type LeaseState, type LeaseType, type SiteSpec, totalAmount } from '../../core/index.ts';
import { measureLeases } from '../lease-measures.ts';
import type { LeaseResult, SimulationResult } from '../result.ts';
import type { Workload } from '../workload.ts';

const queues: Readonly<Record<LeaseType, number>> = {
  BEST_EFFORT: 1,
  ADVANCE_RESERVATION: 2,
  IMMEDIATE: 3,
  DEADLINE: 4,
};
const statuses: Readonly<Partial<Record<LeaseState, number>>> = { DONE: 1, FAILED: 0 };
const cancelled = 5;

/**
 * What was executed as a job log in the Standard Workload Format: a processor is a machine, a queue a type of lease.
 */
export function* writeSwf(result: SimulationResult, workload: Workload, site: SiteSpec): Generator<string, void> {
  const measures = measureLeases(result);
  const users = numberUsers(workload);
  const leases = new Map(workload.leases.map((lease) => [lease.id, lease]));
  const nodes = site.nodes.length;
  yield '; Version: 2.2\n';
  yield `; Computer: ${printable(workload.name ?? 'simulation')}\n`;
  yield `; MaxJobs: ${result.leases.length}\n; MaxRecords: ${result.leases.length}\n; MaxNodes: ${nodes}\n; MaxProcs: ${nodes}\n`;
  for (const [type, queue] of Object.entries(queues)) yield `; Queue: ${queue} ${type}\n`;
  for (const [name, number] of users) if (name !== String(number)) yield `; User: ${number} ${printable(name)}\n`;
  for (const lease of result.leases) {
    const { machines = [], user = null } = leases.get(lease.id) ?? {};
    yield `${fields(lease, machines, measures.get(lease.id)?.waiting ?? -1, users.get(user ?? '') ?? -1).join(' ')}\n`;
  }
}

function fields(lease: LeaseResult, machines: readonly Amounts[], waiting: number, user: number): number[] {
  const started = lease.start !== null;
  const memory = machines.reduce((max, { Memory }) => Math.max(max, totalAmount(Memory)), 0);
  return [
    lease.id,
    lease.submit,
    waiting,
    started ? lease.accumulated : -1,
    started ? lease.machines : -1,
    -1,
    -1,
    lease.machines,
    lease.originalDuration,
    // SWF has kilobytes per processor.
    memory * 1024,
    statuses[lease.state] ?? cancelled,
    user,
    -1,
    -1,
    queues[lease.type],
    -1,
    -1,
    -1,
  ];
}

/** Users of an SWF trace keep their numbers; names are numbered after them. */
function numberUsers({ leases }: Workload): Map<string, number> {
  const names = new Set(leases.flatMap(({ user }) => user ?? []));
  const numbers = new Map<string, number>();
  for (const name of names) if (/^\d{1,9}$/.test(name)) numbers.set(name, Number(name));
  let next = [...numbers.values()].reduce((max, number) => Math.max(max, number), 0);
  for (const name of names) if (!numbers.has(name)) numbers.set(name, ++next);
  return numbers;
}

function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ');
}
