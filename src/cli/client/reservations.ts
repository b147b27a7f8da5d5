import { type Column, formatTable } from '../table.ts';
import type { ReservationRowFragment } from './generated/operations.ts';
import { showInstant } from './show.ts';

const columns: readonly Column[] = [
  { title: 'LEASE', align: 'right' },
  { title: 'NAME', drop: 3 },
  { title: 'KIND' },
  { title: 'STATE', drop: 2 },
  { title: 'START (UTC)' },
  { title: 'END (UTC)', drop: 1 },
  { title: 'NODES', below: true },
];

/** Chains may have parts without a length, such as a shutdown that takes no time: they are not shown. */
export function hasLength({ start, end }: ReservationRowFragment): boolean {
  return start !== end;
}

export function reservationTable(reservations: readonly ReservationRowFragment[], width: number): string {
  return formatTable(
    columns,
    reservations
      .filter(hasLength)
      .map(({ lease, kind, state, start, end, nodes }) => [
        String(lease.number),
        lease.name ?? '',
        kind,
        state,
        showInstant(start),
        showInstant(end),
        nodes.map(({ hostname }) => hostname).join(' '),
      ]),
    width,
  );
}
