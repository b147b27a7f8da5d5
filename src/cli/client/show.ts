import { Duration } from 'luxon';
import { type Column, formatTable } from '../table.ts';
import type { LeaseRowFragment } from './generated/operations.ts';

interface Amount {
  readonly type: string;
  readonly amount: number;
}

/** `CPU:100 Memory:1024`, and `CPU:100+100` for two instances. */
export function showAmounts(amounts: readonly Amount[]): string {
  const types = new Map<string, number[]>();
  for (const { type, amount } of amounts) types.set(type, [...(types.get(type) ?? []), amount]);
  return [...types].map(([type, instances]) => `${type}:${instances.join('+')}`).join(' ');
}

/** Equal machines together: `2 CPU:100 Memory:1024`. */
export function showMachines(machines: readonly { readonly capacity: readonly Amount[] }[]): string {
  const counts = new Map<string, number>();
  for (const { capacity } of machines) {
    const shown = showAmounts(capacity);
    counts.set(shown, (counts.get(shown) ?? 0) + 1);
  }
  return [...counts].map(([shown, count]) => `${count} ${shown}`).join(', ');
}

/** In UTC, as logs are, and in whole seconds. */
export function showInstant(instant: string | null): string {
  return instant === null ? '' : instant.replace('T', ' ').replace(/(\.\d+)?Z$/, '');
}

export function showDuration(duration: string): string {
  const { days, hours, minutes, seconds } = Duration.fromISO(duration).shiftTo('days', 'hours', 'minutes', 'seconds');
  const clock = [hours, minutes, Math.floor(seconds)].map((part) => String(part).padStart(2, '0')).join(':');
  return days > 0 ? `${days}d ${clock}` : clock;
}

/** A start or an end as it happened, or with `~` as it is planned. */
export function showPlanned(actual: string | null, planned: string | null): string {
  return actual === null && planned !== null ? `~${showInstant(planned)}` : showInstant(actual);
}

const leaseColumns: readonly Column[] = [
  { title: 'LEASE', align: 'right' },
  { title: 'NAME', drop: 2 },
  { title: 'TYPE', drop: 4 },
  { title: 'STATE' },
  { title: 'MACHINES', drop: 5 },
  { title: 'DURATION', align: 'right', drop: 3 },
  { title: 'START (UTC)' },
  { title: 'END (UTC)', drop: 1 },
  { title: 'REASON', below: true },
];

function leaseRow(lease: LeaseRowFragment): string[] {
  return [
    String(lease.number),
    lease.name ?? '',
    lease.type,
    lease.state,
    showMachines(lease.machines),
    showDuration(lease.requestedDuration),
    showStart(lease),
    showPlanned(lease.endedAt, lease.estimatedEnd),
    lease.stateReason === null ? '' : `${lease.stateReason.message} [${lease.stateReason.code}]`,
  ];
}

/** The next planned start of a lease that waits or will start anew; otherwise the last actual one. */
function showStart({ actualStart, estimatedStart, endedAt }: LeaseRowFragment): string {
  const isAhead = endedAt === null && estimatedStart !== null && (actualStart === null || estimatedStart > actualStart);
  return isAhead ? `~${showInstant(estimatedStart)}` : showInstant(actualStart);
}

export function leaseTable(leases: readonly LeaseRowFragment[], width: number): string {
  return formatTable(leaseColumns, leases.map(leaseRow), width);
}

export function queueTable(leases: readonly LeaseRowFragment[], width: number): string {
  return formatTable(
    [{ title: 'POSITION', align: 'right', drop: 6 }, ...leaseColumns],
    leases.map((lease) => [String(lease.queuePosition ?? ''), ...leaseRow(lease)]),
    width,
  );
}
