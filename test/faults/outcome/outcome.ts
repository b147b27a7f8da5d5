/** What became of the leases of a scenario, to the millisecond: of a live run and of a simulation, in one form. */
import { Duration } from 'luxon';
import type { CommandResult, MaintenanceResult, SimulationResult } from '../../../src/simulation/result.ts';
import { ask } from '../client.ts';

/** Times in seconds from the start of the scenario; with fractions if an instant is no whole second. */
export interface Outcome {
  readonly leases: readonly LeaseOutcome[];
  /**
   * [time, lease, from, to], in order of time, then by lease: a pass may take several turns of a server, so that what
   * happens to different leases at one instant has no order.
   */
  readonly events: readonly (readonly [number, number, string, string])[];
  readonly commands: readonly CommandResult[];
  readonly maintenance: readonly MaintenanceResult[];
}

interface LeaseOutcome {
  readonly id: number;
  readonly type: string;
  readonly state: string;
  readonly submit: number;
  readonly start: number | null;
  readonly end: number | null;
  readonly accumulated: number;
  readonly requested: number;
  readonly requestedStart: number | null;
  readonly deadline: number | null;
  readonly reason: string | null;
  readonly reservations: readonly {
    readonly kind: string;
    readonly start: number;
    readonly end: number;
    /** [lease, machine, from, node], in order. */
    readonly machines: readonly (readonly [number, number, number | null, number])[];
  }[];
}

/** The same of a simulation. */
export function simulatedOutcome({ leases, events, commands, maintenance }: SimulationResult): Outcome {
  return {
    leases: leases.map((lease) => ({
      id: lease.id,
      type: lease.type,
      state: lease.state,
      submit: lease.submit,
      start: lease.start,
      end: lease.end,
      accumulated: lease.accumulated,
      requested: lease.requested,
      requestedStart: lease.requestedStart,
      deadline: lease.deadline,
      reason: lease.reason,
      reservations: sorted(
        lease.reservations.map(({ kind, start, end, nodes = {}, moves = {}, targets = {} }) => ({
          ...{ kind, start, end },
          machines: sorted([
            ...Object.entries(nodes).map(([machine, node]) => [lease.id, Number(machine), null, node] as const),
            ...Object.entries(moves).map(([machine, [from, to]]) => [lease.id, Number(machine), from, to] as const),
            ...Object.entries(targets).flatMap(([node, those]) =>
              those.map(([id, machine]) => [id, machine, null, Number(node)] as const),
            ),
          ]),
        })),
      ),
    })),
    events: byTimeAndLease(events),
    commands: commands.map(({ line: _, ...command }) => command),
    maintenance: [...maintenance].sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

interface Read {
  readonly leases: { readonly nodes: readonly LeaseRead[] };
  readonly maintenance: {
    readonly nodes: readonly {
      readonly reason: string;
      readonly nodes: readonly { readonly number: number }[];
      readonly start: string;
      readonly end: string;
    }[];
  };
}

interface LeaseRead {
  readonly number: number;
  readonly type: string;
  readonly state: string;
  readonly submittedAt: string;
  readonly actualStart: string | null;
  readonly endedAt: string | null;
  readonly accumulatedDuration: string;
  readonly requestedDuration: string;
  readonly requestedStart: string | null;
  readonly deadline: string | null;
  readonly stateReason: { readonly message: string } | null;
}

const leasesQuery = `{
  leases(first: 100) { nodes {
    number type state submittedAt actualStart endedAt accumulatedDuration requestedDuration requestedStart deadline
    stateReason { message }
  } }
  maintenance(first: 100, from: "2000-01-01T00:00:00Z") { nodes { reason nodes { number } start end } }
}`;

interface EventsRead {
  readonly events: {
    readonly nodes: readonly {
      readonly at: string;
      readonly from: string;
      readonly to: string;
      readonly lease: { readonly number: number };
    }[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  };
}

const eventsQuery = `query ($after: String) {
  events(first: 100, after: $after) { nodes { at from to lease { number } } pageInfo { hasNextPage endCursor } }
}`;

interface ReservationsRead {
  readonly lease: {
    readonly reservations: {
      readonly nodes: readonly {
        readonly kind: string;
        readonly state: string;
        readonly start: string;
        readonly end: string;
        readonly targets: readonly {
          readonly machine: number;
          readonly lease: { readonly number: number } | null;
          readonly node: { readonly number: number };
          readonly from: { readonly number: number } | null;
        }[];
      }[];
    };
  };
}

const reservationsQuery = `query ($number: Int!) {
  lease(number: $number) { reservations(first: 100) { nodes {
    kind state start end targets { machine lease { number } node { number } from { number } }
  } } }
}`;

/** Reads it through the API, from the server at a URL. `start`: the instant at which the scenario began. */
export async function outcomeOf(url: string, start: number, commands: readonly CommandResult[]): Promise<Outcome> {
  const since = (instant: string): number => (Date.parse(instant) - start) / 1_000;
  const optional = (instant: string | null): number | null => (instant === null ? null : since(instant));
  const read = await answered<Read>(url, leasesQuery, {});
  const leases: LeaseOutcome[] = [];
  for (const lease of [...read.leases.nodes].sort((a, b) => a.number - b.number)) {
    const { number } = lease;
    const found = await answered<ReservationsRead>(url, reservationsQuery, { number });
    const executed = found.lease.reservations.nodes.filter(({ state }) => state !== 'SCHEDULED');
    leases.push({
      id: number,
      type: lease.type,
      state: lease.state,
      submit: since(lease.submittedAt),
      start: optional(lease.actualStart),
      end: lease.state === 'DONE' ? optional(lease.endedAt) : null,
      accumulated: length(lease.accumulatedDuration),
      requested: length(lease.requestedDuration),
      requestedStart: optional(lease.requestedStart),
      deadline: optional(lease.deadline),
      reason: lease.stateReason?.message ?? null,
      reservations: sorted(
        executed.map(({ kind, start: from, end, targets }) => ({
          ...{ kind, start: since(from), end: since(end) },
          machines: sorted(
            targets.map(
              (target) =>
                [
                  target.lease?.number ?? number,
                  target.machine,
                  target.from?.number ?? null,
                  target.node.number,
                ] as const,
            ),
          ),
        })),
      ),
    });
  }
  const maintenance = read.maintenance.nodes
    .map(({ reason, nodes, start: from, end }) => ({
      name: reason,
      nodes: nodes.map(({ number }) => number).sort((a, b) => a - b),
      start: since(from),
      end: since(end),
    }))
    .filter(({ start: from, end }) => end > from)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return { leases, events: await eventsOf(url, since), commands, maintenance };
}

async function eventsOf(url: string, since: (instant: string) => number): Promise<Outcome['events']> {
  const events: Outcome['events'][number][] = [];
  for (let after: string | null = null, more = true; more; ) {
    const page: EventsRead = await answered<EventsRead>(url, eventsQuery, { after });
    for (const { at, from, to, lease } of page.events.nodes) events.push([since(at), lease.number, from, to]);
    after = page.events.pageInfo.endCursor;
    more = page.events.pageInfo.hasNextPage;
  }
  return byTimeAndLease(events);
}

function byTimeAndLease(events: Outcome['events']): Outcome['events'] {
  return [...events].sort(([at, lease], [otherAt, other]) => at - otherAt || lease - other);
}

/** Seconds of PT…S, PT…M and so on. */
function length(duration: string): number {
  return Duration.fromISO(duration).as('seconds');
}

/** In an order that does not depend on where it comes from. */
function sorted<T>(list: readonly T[]): readonly T[] {
  return [...list].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** Throws when the answer is lost. */
export async function answered<T>(url: string, query: string, variables: object): Promise<T> {
  const answer = await ask<T>(url, query, variables);
  if ('lost' in answer) throw new Error(answer.lost);
  return answer.data;
}
