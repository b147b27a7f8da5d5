/** Compares the final database with what callers, subscribers and hosts received. */
import type { Amounts, LeaseEventRecord, LeaseRecord, ReservationRecord, SiteSpec } from '../../src/core/index.ts';
import { type OpenStore, openStore } from '../../src/store/index.ts';
import { capacityFaults, pathFaults, sequenceFaults } from '../support/invariants/index.ts';
import type { Acknowledged } from './load.ts';
import type { HostAction } from './server.ts';
import type { SeenEvent } from './subscriber.ts';

export interface Told {
  readonly acknowledged: readonly Acknowledged[];
  readonly cancelled: ReadonlySet<number>;
  readonly actions: readonly HostAction[];
  /** The events that each subscriber saw, by its name. */
  readonly seen: Readonly<Record<string, readonly SeenEvent[]>>;
}

interface Stored {
  readonly leases: readonly (Pick<LeaseRecord, 'id' | 'state' | 'name' | 'type'> & {
    readonly machines: number;
  })[];
  readonly reservations: readonly Pick<ReservationRecord, 'id' | 'kind' | 'start' | 'end' | 'amounts'>[];
  readonly events: readonly Omit<LeaseEventRecord, 'reason'>[];
  readonly actions: ReadonlyMap<
    number,
    { readonly kind: string; readonly state: string; readonly targets: readonly Target[] }
  >;
  readonly keys: ReadonlyMap<string, number>;
}

interface Target {
  readonly leaseId: number;
  readonly machine: number;
  readonly node: number;
}

/** All errors as text; empty if there are none. No server may be running on an embedded database. */
export const account = async (
  place: { readonly databaseUrl: string | null; readonly dataDir: string },
  site: SiteSpec,
  told: Told,
): Promise<string[]> => {
  const store = await openStore(place);
  let stored: Stored;
  try {
    stored = await read(store);
  } finally {
    await store.close();
  }
  return [
    ...leaseFaults(stored, told),
    ...sequenceFaults(stored.events),
    ...(stored.events[0] && stored.events[0].sequence !== 1 ? ['the first event is not there'] : []),
    ...pathFaults(stored.leases, stored.events),
    ...capacityFaults(site, stored.reservations),
    ...actionFaults(stored, told.actions),
    ...Object.entries(told.seen).flatMap(([name, seen]) => subscriberFaults(name, seen, stored.events)),
  ];
};

const leaseFaults = ({ leases, keys }: Stored, { acknowledged, cancelled }: Told): string[] => {
  const faults: string[] = [];
  const byNumber = new Map(leases.map((lease) => [lease.id, lease]));
  const numbersOf = new Map<string, number[]>();
  for (const { id, name } of leases) numbersOf.set(name ?? '', [...(numbersOf.get(name ?? '') ?? []), id]);
  for (const [name, numbers] of numbersOf) {
    if (numbers.length > 1) faults.push(`${name} has leases ${numbers.join(', ')}`);
  }
  for (const { lease: number, name, input } of acknowledged) {
    const lease = byNumber.get(number);
    const machines = (input.machines as readonly { count: number }[]).reduce((sum, { count }) => sum + count, 0);
    if (lease?.name !== name || lease.type !== input.type || lease.machines !== machines) {
      faults.push(`lease ${number} was acknowledged to ${name}, and is ${JSON.stringify(lease)}`);
    }
    if (input.idempotencyKey !== undefined && keys.get(input.idempotencyKey) !== number) {
      faults.push(`the key of ${name} stands for lease ${keys.get(input.idempotencyKey)}, not ${number}`);
    }
  }
  for (const number of cancelled) {
    const state = byNumber.get(number)?.state;
    if (state !== 'CANCELLED') faults.push(`lease ${number} was cancelled, and is ${state}`);
  }
  return faults;
};

const actionFaults = ({ actions }: Stored, told: readonly HostAction[]): string[] => {
  const faults: string[] = [];
  for (const { action, kind, lease, machine, node } of told) {
    const recorded = actions.get(action);
    const meant = recorded?.targets.some(
      (target) => target.leaseId === lease && target.machine === machine && target.node === node,
    );
    // A machine that was never resumed is removed by its shutdown.
    const kinds = recorded?.kind === 'SHUTDOWN' ? ['shutdown', 'destroy'] : [recorded?.kind.toLowerCase()];
    if (!kinds.includes(kind) || !meant) {
      faults.push(
        `a host was told to ${kind} machine ${machine} of lease ${lease} on node ${node}: action ${action} is ${JSON.stringify(recorded)}`,
      );
    }
  }
  for (const [number, { kind, state }] of actions) {
    if (state === 'PENDING') faults.push(`action ${number} (${kind}) was never finished`);
  }
  return faults;
};

const subscriberFaults = (name: string, seen: readonly SeenEvent[], events: Stored['events']): string[] => {
  if (seen.length !== events.length) return [`${name} saw ${seen.length} of ${events.length} events`];
  const wrong = events.findIndex(({ sequence, leaseId, from, to }, index) => {
    const event = seen[index];
    return event?.sequence !== sequence || event.lease.number !== leaseId || event.from !== from || event.to !== to;
  });
  return wrong < 0 ? [] : [`${name} saw ${JSON.stringify(seen[wrong])} for ${JSON.stringify(events[wrong])}`];
};

const read = async ({ prisma }: OpenStore): Promise<Stored> => {
  const rows = <T>(sql: string): Promise<T[]> => prisma.$queryRawUnsafe<T[]>(sql);
  const millis = (column: string) => `(extract(epoch FROM ${column}) * 1000)::float8`;
  const actions = await rows<{ number: number; kind: string; state: string; targets: Target[] }>(
    'SELECT number::float8, kind::text, state::text, targets FROM actions',
  );
  const keys = await rows<{ key: string; lease: number }>('SELECT key, lease_number AS lease FROM idempotency_keys');
  return {
    leases: await rows(
      `SELECT number AS id, name, type::text, state::text,
         (SELECT count(*)::int FROM lease_machines WHERE lease_number = number) AS machines
       FROM leases ORDER BY number`,
    ),
    reservations: (
      await rows<Omit<Stored['reservations'][number], 'amounts'> & { amounts: Record<string, Amounts> | null }>(
        `SELECT number::float8 AS id, kind::text, ${millis('starts_at')} AS start, ${millis('ends_at')} AS end,
           (SELECT json_object_agg(node_number, amounts) FROM reservation_nodes WHERE reservation_number = number) AS amounts
         FROM reservations`,
      )
    ).map((row) => ({ ...row, amounts: row.amounts ?? {} })),
    events: await rows(
      `SELECT sequence::float8, ${millis('at')} AS at, lease_number AS "leaseId", from_state::text AS from,
         to_state::text AS to FROM lease_events ORDER BY sequence`,
    ),
    actions: new Map(actions.map(({ number, ...action }) => [number, action])),
    keys: new Map(keys.map(({ key, lease }) => [key, lease])),
  };
};
