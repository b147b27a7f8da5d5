import type { LeaseState, LeaseType, NodeState, ReservationState } from '../api/generated/operations.ts';
import { type BarKind, isMaintenance, kindOrder, type ScheduleColumns, textAt } from './schedule-columns.ts';

export interface Row {
  readonly node: number;
  readonly hostname: string;
  /** The host name without its domain if it is unique among the nodes. */
  readonly label: string;
  readonly state: NodeState;
  /** The range of its bars in the columns. */
  readonly first: number;
  readonly last: number;
}

export interface ScheduleModel {
  readonly rows: readonly Row[];
  readonly columns: ScheduleColumns;
}

/** A reservation or maintenance on one node. */
export interface Bar {
  /** In the columns. */
  readonly index: number;
  /** The index of its row. */
  readonly row: number;
  readonly kind: BarKind;
  /** Null for maintenance. */
  readonly reservation: BarReservation | null;
  /** Why maintenance was planned. */
  readonly reason: string | null;
  readonly start: number;
  readonly end: number;
  readonly lane: number;
  readonly lanes: number;
}

export interface BarReservation {
  readonly id: string;
  readonly state: ReservationState;
  readonly leaseNumber: number;
  /** Empty without a name. */
  readonly leaseName: string;
  readonly leaseState: LeaseState;
  readonly leaseType: LeaseType;
  readonly leaseProject: string | null;
  /** On how many nodes it is. */
  readonly nodes: number;
}

export interface ChartNode {
  readonly number: number;
  readonly hostname: string;
  readonly state: NodeState;
}

/** The rows of the nodes, in their order. */
export function buildModel(nodes: readonly ChartNode[], columns: ScheduleColumns): ScheduleModel {
  const places = new Map<number, number>();
  for (const [place, node] of columns.nodes.entries()) places.set(node, place);
  const short = nodes.map(({ hostname }) => hostname.replace(/(?<=[a-z][^.]*)\..*/i, ''));
  const isUnique = new Set(short).size === nodes.length;
  const rows = nodes.map(({ number, hostname, state }, index) => {
    const place = places.get(number);
    const first = place === undefined ? 0 : (columns.firsts[place] ?? 0);
    const last = place === undefined ? 0 : (columns.firsts[place + 1] ?? 0);
    const label = isUnique ? (short[index] ?? hostname) : hostname;
    return { node: number, hostname, label, state, first, last };
  });
  return { rows, columns };
}

/** Calls back with the index of each bar of a row that overlaps [from, to), by start. */
export function eachBarWithin(
  { rows, columns: { bars } }: ScheduleModel,
  row: number,
  from: number,
  to: number,
  callback: (bar: number) => void,
): void {
  const { start, end, latestEnd } = bars;
  const { first, last } = rows[row] ?? { first: 0, last: 0 };
  let low = first;
  for (let high = last; low < high; ) {
    const middle = (low + high) >> 1;
    if ((latestEnd[middle] ?? 0) > from) high = middle;
    else low = middle + 1;
  }
  for (let bar = low; bar < last && (start[bar] ?? to) < to; bar += 1) {
    if ((end[bar] ?? from) > from) callback(bar);
  }
}

export function barOf({ columns }: ScheduleModel, row: number, index: number): Bar {
  const { bars, reasons } = columns;
  const at = (column: ArrayLike<number>) => column[index] ?? 0;
  const isOfMaintenance = isMaintenance(columns, index);
  return {
    index,
    row,
    kind: kindOrder[at(bars.kind)] ?? 'UNKNOWN',
    reservation: isOfMaintenance ? null : reservationOf(columns, at(bars.subject)),
    reason: isOfMaintenance ? (reasons[at(bars.subject)] ?? null) : null,
    start: at(bars.start),
    end: at(bars.end),
    lane: at(bars.lane),
    lanes: at(bars.lanes),
  };
}

function reservationOf(columns: ScheduleColumns, index: number): BarReservation {
  const lease = columns.leases[index] ?? 0;
  return {
    id: textAt(columns.ids, index),
    state: columns.stateNames[columns.states[index] ?? 0] ?? 'UNKNOWN',
    leaseNumber: columns.leaseNumbers[lease] ?? 0,
    leaseName: textAt(columns.leaseNames, lease),
    leaseState: columns.leaseStateNames[columns.leaseStates[lease] ?? 0] ?? 'UNKNOWN',
    leaseType: columns.leaseTypeNames[columns.leaseTypes[lease] ?? 0] ?? 'UNKNOWN',
    leaseProject: columns.projectNames[columns.leaseProjects[lease] ?? 0] ?? null,
    nodes: columns.widths[index] ?? 1,
  };
}

/** What is written on a bar. */
export function labelOf({ columns }: ScheduleModel, bar: number): string {
  const subject = columns.bars.subject[bar] ?? 0;
  if (isMaintenance(columns, bar)) return columns.reasons[subject] ?? 'Maintenance';
  const lease = columns.leases[subject] ?? 0;
  const number = String(columns.leaseNumbers[lease]);
  const name = textAt(columns.leaseNames, lease);
  return name === '' ? number : `${number} ${name}`;
}

/** The lease of a bar, as an index of the columns; -1 for maintenance. */
export function leaseOf({ columns }: ScheduleModel, bar: number): number {
  return isMaintenance(columns, bar) ? -1 : (columns.leases[columns.bars.subject[bar] ?? 0] ?? -1);
}

/** The bar of another model for the same reservation or maintenance on the same node. */
export function sameBar(model: ScheduleModel, from: ScheduleModel, bar: Bar): Bar | null {
  if (model === from) return bar;
  const node = from.rows[bar.row]?.node;
  const row = model.rows.findIndex((each) => each.node === node);
  const { first, last } = model.rows[row] ?? { first: 0, last: 0 };
  const { columns } = model;
  for (let index = first; index < last; index += 1) {
    const isOfMaintenance = isMaintenance(columns, index);
    const isSame = bar.reservation
      ? !isOfMaintenance && textAt(columns.ids, columns.bars.subject[index] ?? 0) === bar.reservation.id
      : isOfMaintenance && columns.bars.start[index] === bar.start;
    if (isSame) return barOf(model, row, index);
  }
  return null;
}

/**
 * The bar that comes `step` (1 or -1) after the given one in reading order: by row, then by start. The first or last
 * follows on the other end, and null if there are none.
 */
export function neighbourOf(model: ScheduleModel, bar: Bar | null, step: number): Bar | null {
  const { rows } = model;
  let row = bar?.row ?? (step > 0 ? 0 : rows.length - 1);
  const { first, last } = rows[row] ?? { first: 0, last: 0 };
  let index = bar ? bar.index + step : step > 0 ? first : last - 1;
  for (let visited = 0; visited <= rows.length; visited += 1) {
    const { first: begin, last: end } = rows[row] ?? { first: 0, last: 0 };
    if (index >= begin && index < end) return barOf(model, row, index);
    row = (row + step + rows.length) % Math.max(rows.length, 1);
    index = step > 0 ? (rows[row]?.first ?? 0) : (rows[row]?.last ?? 0) - 1;
  }
  return null;
}

/** The leases whose number, name or state matches the text; null if there are none or the text is empty. */
export function matchingLeases(text: string, columns: ScheduleColumns): ReadonlySet<number> | null {
  const needle = text.trim().toLowerCase();
  if (needle === '') return null;
  const isState = columns.leaseStateNames.map((state) => state.toLowerCase().startsWith(needle));
  const found = new Set<number>();
  for (const [lease, number] of columns.leaseNumbers.entries()) {
    const matches =
      String(number) === needle ||
      isState[columns.leaseStates[lease] ?? 0] === true ||
      textAt(columns.leaseNames, lease).toLowerCase().includes(needle);
    if (matches) found.add(lease);
  }
  return found.size === 0 ? null : found;
}

/** The entries of the legend, in order. */
export const kindLabels: Readonly<Partial<Record<BarKind, string>>> = {
  VM: 'Running',
  SHUTDOWN: 'Shutdown',
  SUSPENSION: 'Suspension',
  RESUMPTION: 'Resumption',
  MEMORY_MIGRATION: 'Memory migration',
  DISK_MIGRATION: 'Disk migration',
  IMAGE_TRANSFER: 'Image transfer',
  MAINTENANCE: 'Maintenance',
};
