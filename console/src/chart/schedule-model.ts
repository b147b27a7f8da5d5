import type { ConsoleScheduleQuery, ReservationKind } from '../api/generated/operations.ts';

export type ScheduleReservation = ConsoleScheduleQuery['schedule']['reservations'][number];

/** A reservation on one node. */
export interface Bar {
  readonly reservation: ScheduleReservation;
  readonly start: number;
  readonly end: number;
  /** Bars that overlap on a node share its row: this one's lane, of so many. */
  readonly lane: number;
  lanes: number;
}

export interface Row {
  readonly node: number;
  readonly hostname: string;
  /** By start. */
  readonly bars: readonly Bar[];
}

export interface ScheduleModel {
  readonly rows: readonly Row[];
  /** All bars in reading order: by row, then by start. */
  readonly bars: readonly { readonly row: number; readonly bar: Bar }[];
}

export function buildModel(
  nodes: readonly { readonly number: number; readonly hostname: string }[],
  reservations: readonly ScheduleReservation[],
): ScheduleModel {
  const byNode = new Map<number, ScheduleReservation[]>();
  for (const reservation of reservations) {
    for (const number of reservation.nodes) {
      const list = byNode.get(number);
      if (list) list.push(reservation);
      else byNode.set(number, [reservation]);
    }
  }
  const rows = nodes.map(({ number, hostname }) => ({
    node: number,
    hostname,
    bars: layOut(byNode.get(number) ?? []),
  }));
  return { rows, bars: rows.flatMap(({ bars }, row) => bars.map((bar) => ({ row, bar }))) };
}

/**
 * Gives each bar a lane such that bars in one lane do not overlap; bars of one group of overlapping bars are equally
 * high.
 */
function layOut(reservations: readonly ScheduleReservation[]): Bar[] {
  const spans = reservations
    .map((reservation) => ({
      reservation,
      start: Date.parse(reservation.start),
      end: Date.parse(reservation.end),
    }))
    .sort((a, b) => a.start - b.start || a.reservation.leaseNumber - b.reservation.leaseNumber);
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

export const kindLabels: Readonly<Record<ReservationKind, string>> = {
  VM: 'Running',
  SHUTDOWN: 'Shutdown',
  SUSPENSION: 'Suspension',
  RESUMPTION: 'Resumption',
  MEMORY_MIGRATION: 'Memory migration',
  DISK_MIGRATION: 'Disk migration',
  IMAGE_TRANSFER: 'Image transfer',
  UNKNOWN: 'Unknown',
};
