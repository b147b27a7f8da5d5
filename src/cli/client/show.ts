import { Duration } from 'luxon';
import { type Column, formatTable } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import type { LeaseRowFragment } from './generated/operations.ts';

export const printJson = (terminal: Terminal, value: unknown): void =>
  terminal.out(`${JSON.stringify(value, null, 2)}\n`);

interface Amount {
  readonly type: string;
  readonly amount: number;
}

/** `CPU:100 Memory:1024`, and `CPU:100+100` where there are several instances. */
export function showAmounts(amounts: readonly Amount[]): string {
  const types = new Map<string, number[]>();
  for (const { type, amount } of amounts) types.set(type, [...(types.get(type) ?? []), amount]);
  return [...types].map(([type, instances]) => `${type}:${instances.join('+')}`).join(' ');
}

/** Alike machines together: `2 CPU:100 Memory:1024`. */
export function showMachines(machines: LeaseRowFragment['machines']): string {
  const counts = new Map<string, number>();
  for (const { capacity } of machines) {
    const shown = showAmounts(capacity);
    counts.set(shown, (counts.get(shown) ?? 0) + 1);
  }
  return [...counts].map(([shown, count]) => `${count} ${shown}`).join(', ');
}

/** In the machine's own time zone would not compare well with logs: instants are shown in UTC, without what is always there. */
export const showInstant = (instant: string | null): string =>
  instant === null ? '' : instant.replace('T', ' ').replace(/(\.000)?Z$/, '');

export const showDuration = (duration: string): string => {
  const { days, hours, minutes, seconds } = Duration.fromISO(duration).shiftTo(
    'days',
    'hours',
    'minutes',
    'seconds',
  );
  const clock = [hours, minutes, Math.floor(seconds)].map((part) => String(part).padStart(2, '0')).join(':');
  return days > 0 ? `${days}d ${clock}` : clock;
};

const leaseColumns: readonly Column[] = [
  { title: 'LEASE', align: 'right' },
  { title: 'NAME' },
  { title: 'TYPE' },
  { title: 'STATE' },
  { title: 'MACHINES' },
  { title: 'DURATION', align: 'right' },
  { title: 'START (UTC)' },
  { title: 'END (UTC)' },
  { title: 'REASON' },
];

const leaseRow = (lease: LeaseRowFragment): string[] => [
  String(lease.number),
  lease.name ?? '',
  lease.type,
  lease.state,
  showMachines(lease.machines),
  showDuration(lease.requestedDuration),
  lease.actualStart === null && lease.estimatedStart !== null
    ? `~${showInstant(lease.estimatedStart)}`
    : showInstant(lease.actualStart),
  showInstant(lease.endedAt),
  lease.stateReason?.message ?? '',
];

export const leaseTable = (leases: readonly LeaseRowFragment[]): string =>
  formatTable(leaseColumns, leases.map(leaseRow));

export const queueTable = (leases: readonly LeaseRowFragment[]): string =>
  formatTable(
    [{ title: 'POSITION', align: 'right' }, ...leaseColumns],
    leases.map((lease) => [String(lease.queuePosition ?? ''), ...leaseRow(lease)]),
  );
