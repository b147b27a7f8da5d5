import type {
  ConsoleMaintenanceFragment,
  ConsoleScheduleQuery,
  NodeState,
  ReservationKind,
} from '../api/generated/operations.ts';

export type ScheduleReservation = ConsoleScheduleQuery['schedule']['reservations'][number];

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
  /** By start. */
  readonly bars: readonly Bar[];
}

export interface ScheduleModel {
  readonly rows: readonly Row[];
  /** All bars in reading order: by row, then by start. */
  readonly bars: readonly { readonly row: number; readonly bar: Bar }[];
}

type Span = Omit<Bar, 'lane' | 'lanes'>;

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
  const rows = nodes.map(({ number, hostname, state }, index) => ({
    node: number,
    hostname,
    label: isUnique ? (short[index] ?? hostname) : hostname,
    state,
    bars: layOut(byNode.get(number) ?? []),
  }));
  return { rows, bars: rows.flatMap(({ bars }, row) => bars.map((bar) => ({ row, bar }))) };
}

/**
 * Gives each bar a lane such that bars in one lane do not overlap; bars of one group of overlapping bars are equally
 * high.
 */
function layOut(given: readonly Span[]): Bar[] {
  const numberOf = ({ reservation }: Span) => reservation?.leaseNumber ?? 0;
  const spans = [...given].sort((a, b) => a.start - b.start || numberOf(a) - numberOf(b));
  const bars: Bar[] = [];
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
    const bar: Bar = { ...span, lane, lanes: 1 };
    group.push(bar);
    bars.push(bar);
  }
  closeGroup();
  return bars;
}

/** The bars of a row that overlap [from, to). */
export function* barsWithin(row: Row, from: number, to: number): Generator<Bar> {
  for (const bar of row.bars) {
    if (bar.start >= to) return;
    if (bar.end > from) yield bar;
  }
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
