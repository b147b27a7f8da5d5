import type { ReservationResult, SimulationResult } from '../../src/simulation/result.ts';

/** What an expected.json holds: of a result, what the comparison looks at. */
export interface ExpectedSchedule {
  readonly leases: readonly {
    readonly id: number;
    readonly type: string;
    readonly state: string;
    readonly submit: number;
    readonly start: number | null;
    readonly end: number | null;
    readonly accumulated: number;
    readonly reservations: readonly ReservationResult[];
  }[];
  readonly events: readonly (readonly [number, number, string, string])[];
  readonly summary: { readonly end: number };
}

const FIELDS = ['type', 'submit', 'state', 'start', 'end', 'accumulated'] as const;

/**
 * Every difference between a run and its expected schedule, one readable line each; none when they are equal. Leases
 * are compared by their fields, by the reservations that were executed and by their path of states; then the end of the
 * run.
 */
export const differences = (expected: ExpectedSchedule, actual: SimulationResult): string[] => {
  const found: string[] = [];
  const differ = (where: string, want: unknown, got: unknown): void => {
    if (canonical(want) !== canonical(got)) found.push(`${where}: expected ${canonical(want)}, got ${canonical(got)}`);
  };
  const leases = new Map(actual.leases.map((lease) => [lease.id, lease]));
  const expectedPaths = pathsOf(expected.events);
  const actualPaths = pathsOf(actual.events);
  differ('number of leases', expected.leases.length, leases.size);
  for (const want of expected.leases) {
    const name = `lease ${want.id}`;
    const got = leases.get(want.id);
    if (!got) {
      found.push(`${name}: missing`);
      continue;
    }
    for (const field of FIELDS) differ(`${name} ${field}`, want[field], got[field]);
    const rows = Math.max(want.reservations.length, got.reservations.length);
    for (let row = 0; row < rows; row += 1)
      differ(`${name} reservation ${row + 1}`, executed(want.reservations[row]), executed(got.reservations[row]));
    differ(`${name} events`, expectedPaths.get(want.id), actualPaths.get(want.id));
  }
  differ('end of the run', expected.summary.end, actual.summary.end);
  return found;
};

/** What a reservation is compared by. A shutdown's nodes are its VM's. */
const executed = (row: Partial<ReservationResult> | undefined): unknown =>
  row && {
    kind: row.kind,
    start: row.start,
    end: row.end,
    nodes: row.kind === 'SHUTDOWN' ? undefined : row.nodes,
    moves: row.moves,
    targets: row.targets,
  };

const pathsOf = (events: ExpectedSchedule['events']): Map<number, string[]> => {
  const paths = new Map<number, string[]>();
  for (const [time, lease, from, to] of events) {
    const path = paths.get(lease) ?? [];
    path.push(`${time}:${from}>${to}`);
    paths.set(lease, path);
  }
  return paths;
};

/** As JSON with keys in order, so that equal values are equal texts. */
const canonical = (value: unknown): string =>
  JSON.stringify(value ?? null, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true })))
      : inner,
  );
