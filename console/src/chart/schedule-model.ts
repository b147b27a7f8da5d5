import type {
  ConsoleMaintenanceFragment,
  ConsoleScheduleQuery,
  NodeState,
  ReservationKind,
} from '../api/generated/operations.ts';

export type ScheduleReservation = NonNullable<ConsoleScheduleQuery['schedule']>['reservations'][number];

export type BarKind = ReservationKind | 'MAINTENANCE';

/** A reservation or maintenance on one node. */
export interface Bar {
  readonly kind: BarKind;
  /** Null for maintenance. */
  readonly reservation: ScheduleReservation | null;
  /** Why maintenance was planned. */
  readonly reason: string | null;
  readonly start: number;
  readonly end: number;
  /** Its node's place among the rows. */
  readonly row: number;
  /** Bars that overlap on a node share its row: this one's lane, of so many. */
  readonly lane: number;
  lanes: number;
}

export interface Row {
  readonly node: number;
  readonly hostname: string;
  /** The host name without its domain, where that tells all nodes apart. */
  readonly label: string;
  readonly state: NodeState;
  /** Where its bars begin in `bars`, and where they end. */
  readonly first: number;
  readonly last: number;
}

export interface ScheduleModel {
  readonly rows: readonly Row[];
  /** All bars in reading order: by row, then by start. */
  readonly bars: readonly Bar[];
  /** The latest end of each bar and those before it in its row: ascends within a row, so that it can be searched. */
  readonly latestEnds: Float64Array;
}

type Span = Omit<Bar, 'row' | 'lane' | 'lanes'>;

export interface ChartNode {
  readonly number: number;
  readonly hostname: string;
  readonly state: NodeState;
}

export function buildModel(
  nodes: readonly ChartNode[],
  reservations: readonly ScheduleReservation[],
  maintenance: readonly ConsoleMaintenanceFragment[],
): ScheduleModel {
  const byNode = new Map<number, Span[]>();
  const add = (node: number, span: Span) => {
    const list = byNode.get(node);
    if (list) list.push(span);
    else byNode.set(node, [span]);
  };
  for (const reservation of reservations) {
    const { kind, start, end } = reservation;
    const span = { kind, reservation, reason: null, start: Date.parse(start), end: Date.parse(end) };
    for (const node of reservation.nodes) add(node, span);
  }
  for (const { reason, start, end, nodes: within } of maintenance) {
    const span: Span = {
      kind: 'MAINTENANCE',
      reservation: null,
      reason,
      start: Date.parse(start),
      end: Date.parse(end),
    };
    for (const { number } of within) add(number, span);
  }
  const short = nodes.map(({ hostname }) => hostname.replace(/(?<=[a-z][^.]*)\..*/i, ''));
  const isUnique = new Set(short).size === nodes.length;
  const bars: Bar[] = [];
  const rows = nodes.map(({ number, hostname, state }, index) => {
    const first = bars.length;
    layOut(byNode.get(number) ?? [], index, bars);
    const label = isUnique ? (short[index] ?? hostname) : hostname;
    return { node: number, hostname, label, state, first, last: bars.length };
  });
  const latestEnds = new Float64Array(bars.length);
  for (const { first, last } of rows) {
    let latest = Number.NEGATIVE_INFINITY;
    for (let index = first; index < last; index += 1) {
      latest = Math.max(latest, bars[index]?.end ?? latest);
      latestEnds[index] = latest;
    }
  }
  return { rows, bars, latestEnds };
}

/**
 * Adds the bars of a row, by start. Gives each a lane such that bars in one lane do not overlap; bars of one group of
 * overlapping bars are equally high.
 */
function layOut(given: readonly Span[], row: number, bars: Bar[]): void {
  const numberOf = ({ reservation }: Span) => reservation?.leaseNumber ?? 0;
  const spans = [...given].sort((a, b) => a.start - b.start || numberOf(a) - numberOf(b));
  let group: Bar[] = [];
  let laneEnds: number[] = [];
  let groupEnd = Number.NEGATIVE_INFINITY;
  const closeGroup = () => {
    for (const bar of group) bar.lanes = laneEnds.length;
    group = [];
    laneEnds = [];
  };
  for (const span of spans) {
    if (span.start >= groupEnd) closeGroup();
    let lane = laneEnds.findIndex((end) => end <= span.start);
    if (lane < 0) lane = laneEnds.length;
    laneEnds[lane] = span.end;
    groupEnd = Math.max(groupEnd, span.end);
    const { kind, reservation, reason, start, end } = span;
    const bar: Bar = { kind, reservation, reason, start, end, row, lane, lanes: 1 };
    group.push(bar);
    bars.push(bar);
  }
  closeGroup();
}

/** Calls back for the bars of a row that overlap [from, to), by start. */
export function eachBarWithin(
  { rows, bars, latestEnds }: ScheduleModel,
  row: number,
  from: number,
  to: number,
  callback: (bar: Bar) => void,
): void {
  const { first, last } = rows[row] ?? { first: 0, last: 0 };
  let low = first;
  for (let high = last; low < high; ) {
    const middle = (low + high) >> 1;
    if ((latestEnds[middle] ?? 0) > from) high = middle;
    else low = middle + 1;
  }
  for (let index = low; index < last; index += 1) {
    const bar = bars[index];
    if (bar === undefined || bar.start >= to) return;
    if (bar.end > from) callback(bar);
  }
}

/** The bar of another model that stands for the same reservation, or maintenance, on the same node. */
export function sameBar(model: ScheduleModel, from: ScheduleModel, bar: Bar): Bar | null {
  if (model === from) return bar;
  const node = from.rows[bar.row]?.node;
  const { first, last } = model.rows.find((row) => row.node === node) ?? { first: 0, last: 0 };
  for (let index = first; index < last; index += 1) {
    const other = model.bars[index];
    const isSame = bar.reservation
      ? other?.reservation?.id === bar.reservation.id
      : other?.reservation === null && other.start === bar.start;
    if (other && isSame) return other;
  }
  return null;
}

/** What the legend shows, in its order. */
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
