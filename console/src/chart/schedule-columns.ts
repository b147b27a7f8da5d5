import type {
  ConsoleMaintenanceFragment,
  ConsoleScheduleQuery,
  LeaseState,
  LeaseType,
  ReservationKind,
  ReservationState,
} from '../api/generated/operations.ts';

type Schedule = NonNullable<ConsoleScheduleQuery['schedule']>;
type ScheduleReservation = Schedule['reservations'][number];

export type BarKind = ReservationKind | 'MAINTENANCE';

/** In the order in which they are drawn. A bar has the index of its kind. */
export const kindOrder: readonly BarKind[] = [
  'VM',
  'SHUTDOWN',
  'SUSPENSION',
  'RESUMPTION',
  'MEMORY_MIGRATION',
  'DISK_MIGRATION',
  'IMAGE_TRANSFER',
  'MAINTENANCE',
  'UNKNOWN',
];

/** Concatenated texts: transferring thousands of strings would take longer than transferring their bars. */
export interface TextColumn {
  readonly text: string;
  /** The start of each, and the end of the last one. */
  readonly starts: Uint32Array<ArrayBuffer>;
}

export function textAt({ text, starts }: TextColumn, index: number): string {
  return text.slice(starts[index], starts[index + 1]);
}

/**
 * The bars of an interval in columns of numbers, which a worker transfers without a copy: the cost of a refresh in the
 * page's thread does not grow with the number of bars.
 */
export interface ScheduleColumns {
  /** Number of reservations, and whether these are all of the interval. */
  readonly reservations: number;
  readonly isComplete: boolean;
  /** By node, then by start. */
  readonly bars: BarColumns;
  /** The numbers of the nodes that have bars. */
  readonly nodes: Int32Array<ArrayBuffer>;
  /** The index of the first bar of each node, and the end of the last node's bars. */
  readonly firsts: Int32Array<ArrayBuffer>;
  /** Of reservations. */
  readonly ids: TextColumn;
  /** On how many nodes each is. */
  readonly widths: Uint16Array<ArrayBuffer>;
  readonly states: Uint8Array<ArrayBuffer>;
  /** The index of the reservation's lease in the columns below. */
  readonly leases: Int32Array<ArrayBuffer>;
  readonly leaseNumbers: Int32Array<ArrayBuffer>;
  /** Empty without a name. */
  readonly leaseNames: TextColumn;
  readonly leaseStates: Uint8Array<ArrayBuffer>;
  readonly leaseTypes: Uint8Array<ArrayBuffer>;
  readonly leaseProjects: Uint16Array<ArrayBuffer>;
  /** Why maintenance was planned. */
  readonly reasons: readonly (string | null)[];
  /** The distinct values to which the columns refer by index. */
  readonly stateNames: readonly ReservationState[];
  readonly leaseStateNames: readonly LeaseState[];
  readonly leaseTypeNames: readonly LeaseType[];
  readonly projectNames: readonly (string | null)[];
}

export interface BarColumns {
  readonly start: Float64Array<ArrayBuffer>;
  readonly end: Float64Array<ArrayBuffer>;
  /** The latest end of each bar and all earlier ones on its node; ascending, so that it can be searched. */
  readonly latestEnd: Float64Array<ArrayBuffer>;
  /** An index of kindOrder. */
  readonly kind: Uint8Array<ArrayBuffer>;
  /** Overlapping bars share the row of their node: the lane of this bar, and the number of lanes. */
  readonly lane: Uint16Array<ArrayBuffer>;
  readonly lanes: Uint16Array<ArrayBuffer>;
  /** The index of its reservation, or of its reason if it is maintenance. */
  readonly subject: Int32Array<ArrayBuffer>;
}

interface Span {
  readonly kind: number;
  readonly subject: number;
  readonly leaseNumber: number;
  readonly start: number;
  readonly end: number;
}

const maintenanceKind = kindOrder.indexOf('MAINTENANCE');
const unknownKind = kindOrder.indexOf('UNKNOWN');

export function isMaintenance({ bars }: ScheduleColumns, bar: number): boolean {
  return bars.kind[bar] === maintenanceKind;
}

/** Which leases are shown; null: all. */
export interface ScheduleFilter {
  readonly project: string | null;
  readonly states: readonly LeaseState[] | null;
}

/** Lays out the parts of the server's answer that the filter shows. */
export function columnsOf(
  { reservations: all, isComplete }: Schedule,
  maintenance: readonly ConsoleMaintenanceFragment[],
  { project, states: shown }: ScheduleFilter,
): ScheduleColumns {
  const reservations = all.filter(
    ({ leaseProject, leaseState }) =>
      (project === null || leaseProject === project) && (shown === null || shown.includes(leaseState)),
  );
  const byNode = new Map<number, Span[]>();
  const add = (nodes: readonly number[], span: Span) => {
    for (const node of nodes) {
      const list = byNode.get(node);
      if (list) list.push(span);
      else byNode.set(node, [span]);
    }
  };
  const stateNames: ReservationState[] = [];
  const leaseStateNames: LeaseState[] = [];
  const leaseTypeNames: LeaseType[] = [];
  const projectNames: (string | null)[] = [];
  const states = new Uint8Array(reservations.length);
  const leases = new Int32Array(reservations.length);
  const leaseIndexes = new Map<number, number>();
  const firstOfLease: ScheduleReservation[] = [];
  for (const [subject, reservation] of reservations.entries()) {
    const { leaseNumber } = reservation;
    const kind = kindOrder.indexOf(reservation.kind);
    const [start, end] = [Date.parse(reservation.start), Date.parse(reservation.end)];
    add(reservation.nodes, { kind: kind < 0 ? unknownKind : kind, subject, leaseNumber, start, end });
    states[subject] = indexIn(stateNames, reservation.state);
    let lease = leaseIndexes.get(leaseNumber);
    if (lease === undefined) {
      lease = firstOfLease.push(reservation) - 1;
      leaseIndexes.set(leaseNumber, lease);
    }
    leases[subject] = lease;
  }
  for (const [subject, { start, end, nodes }] of maintenance.entries()) {
    const [from, to] = [Date.parse(start), Date.parse(end)];
    const numbers = nodes.map(({ number }) => number);
    add(numbers, { kind: maintenanceKind, subject, leaseNumber: 0, start: from, end: to });
  }
  return {
    reservations: all.length,
    isComplete,
    ...layOut(byNode),
    ids: textColumn(reservations.map(({ id }) => id)),
    widths: Uint16Array.from(reservations, ({ nodes }) => nodes.length),
    states,
    leases,
    leaseNumbers: Int32Array.from(firstOfLease, ({ leaseNumber }) => leaseNumber),
    leaseNames: textColumn(firstOfLease.map(({ leaseName }) => leaseName ?? '')),
    leaseStates: Uint8Array.from(firstOfLease, ({ leaseState }) => indexIn(leaseStateNames, leaseState)),
    leaseTypes: Uint8Array.from(firstOfLease, ({ leaseType }) => indexIn(leaseTypeNames, leaseType)),
    leaseProjects: Uint16Array.from(firstOfLease, ({ leaseProject }) => indexIn(projectNames, leaseProject)),
    reasons: maintenance.map(({ reason }) => reason),
    stateNames,
    leaseStateNames,
    leaseTypeNames,
    projectNames,
  };
}

/** Empty until there is an answer. */
export const noColumns: ScheduleColumns = columnsOf({ reservations: [], isComplete: true }, [], {
  project: null,
  states: null,
});

/** The buffers that can be transferred to another thread. */
export function buffersOf(columns: ScheduleColumns): ArrayBuffer[] {
  const { bars, ids, leaseNames, ...others } = columns;
  const values: unknown[] = [...Object.values(bars), ids.starts, leaseNames.starts, ...Object.values(others)];
  return values.flatMap((value) =>
    ArrayBuffer.isView(value) && value.buffer instanceof ArrayBuffer ? [value.buffer] : [],
  );
}

/**
 * Gives each bar a lane such that bars in one lane do not overlap; bars of one group of overlapping bars are equally
 * high.
 */
function layOut(byNode: ReadonlyMap<number, Span[]>): Pick<ScheduleColumns, 'bars' | 'nodes' | 'firsts'> {
  const nodes = Int32Array.from(byNode.keys()).sort();
  const firsts = new Int32Array(nodes.length + 1);
  let count = 0;
  for (const spans of byNode.values()) count += spans.length;
  const bars: BarColumns = {
    start: new Float64Array(count),
    end: new Float64Array(count),
    latestEnd: new Float64Array(count),
    kind: new Uint8Array(count),
    lane: new Uint16Array(count),
    lanes: new Uint16Array(count),
    subject: new Int32Array(count),
  };
  let bar = 0;
  for (const [index, node] of nodes.entries()) {
    const spans = byNode.get(node) ?? [];
    spans.sort((a, b) => a.start - b.start || a.leaseNumber - b.leaseNumber);
    let groupFirst = bar;
    let laneEnds: number[] = [];
    let latestEnd = Number.NEGATIVE_INFINITY;
    for (const { kind, subject, start, end } of spans) {
      if (start >= latestEnd) {
        bars.lanes.fill(laneEnds.length, groupFirst, bar);
        groupFirst = bar;
        laneEnds = [];
      }
      const free = laneEnds.findIndex((laneEnd) => laneEnd <= start);
      const lane = free < 0 ? laneEnds.length : free;
      laneEnds[lane] = end;
      latestEnd = Math.max(latestEnd, end);
      bars.start[bar] = start;
      bars.end[bar] = end;
      bars.latestEnd[bar] = latestEnd;
      bars.kind[bar] = kind;
      bars.lane[bar] = lane;
      bars.subject[bar] = subject;
      bar += 1;
    }
    bars.lanes.fill(laneEnds.length, groupFirst, bar);
    firsts[index + 1] = bar;
  }
  return { bars, nodes, firsts };
}

function textColumn(texts: readonly string[]): TextColumn {
  const starts = new Uint32Array(texts.length + 1);
  let end = 0;
  for (const [index, { length }] of texts.entries()) {
    end += length;
    starts[index + 1] = end;
  }
  return { text: texts.join(''), starts };
}

function indexIn<Name>(names: Name[], name: Name): number {
  const index = names.indexOf(name);
  return index < 0 ? names.push(name) - 1 : index;
}
