/**
 * Random commands and random faults: connections cut before and after a commit, hanging commits, a database that goes
 * away, servers that are killed, hosts that fail. Whatever happens, nothing that was acknowledged is lost or doubled.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LeaseEventRecord, LeaseRequest } from '../../src/core/index.ts';
import { defaultLimits } from '../../src/engine/limits.ts';
import { CommandError } from '../../src/engine/ports.ts';
import {
  bestEffort,
  Harness,
  hours,
  minutes,
  principal,
  type Running,
  reservationAt,
  settle,
  siteOf,
} from '../support/engine-harness.ts';
import { capacityFaults, pathFaults, sequenceFaults } from '../support/invariants/index.ts';

const nodes = 3;

type Step =
  | {
      readonly kind: 'request';
      readonly best: boolean;
      readonly machines: number;
      readonly minutes: number;
      readonly key: number | null;
    }
  | { readonly kind: 'cancel'; readonly lease: number }
  | { readonly kind: 'time'; readonly seconds: number }
  | { readonly kind: 'commit'; readonly faults: readonly ('before' | 'after' | 'hang' | 'hang-after')[] }
  | { readonly kind: 'down'; readonly seconds: number }
  | { readonly kind: 'cut' }
  | { readonly kind: 'kill' }
  | { readonly kind: 'stop' }
  | { readonly kind: 'hosts'; readonly mood: 'well' | 'failing' | 'hanging' | 'throwing' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('request' as const),
      best: fc.boolean(),
      machines: fc.integer({ min: 1, max: nodes + 1 }),
      minutes: fc.integer({ min: 1, max: 40 }),
      key: fc.option(fc.nat(4), { nil: null }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('cancel' as const), lease: fc.integer({ min: 1, max: 20 }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('time' as const), seconds: fc.integer({ min: 0, max: 2_000 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      faults: fc.array(fc.constantFrom('before', 'after', 'hang', 'hang-after'), {
        minLength: 1,
        maxLength: 3,
      }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('down' as const), seconds: fc.integer({ min: 1, max: 30 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'cut' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'kill' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'stop' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('hosts' as const),
      mood: fc.constantFrom('well', 'failing', 'hanging', 'throwing'),
    }),
  },
);

/** The world: two servers on one database, callers, subscribers and hosts. */
class World implements AsyncDisposable {
  readonly harness = new Harness({
    nodes,
    limits: { eventRing: 8, eventPage: 5, dispatch: { ...defaultLimits.dispatch, callTimeout: 20_000 } },
  });
  servers: Running[] = [];
  /** What callers were told, in full. */
  readonly acknowledged: {
    readonly lease: number;
    readonly key: number | null;
    readonly request: LeaseRequest;
  }[] = [];
  readonly strange: string[] = [];
  readonly seen: LeaseEventRecord[][] = [];
  mood: Extract<Step, { kind: 'hosts' }>['mood'] = 'well';
  private over = false;

  async begin(): Promise<void> {
    for (let count = 0; count < 2; count += 1) await this.addServer();
    for (let count = 0; count < 2; count += 1) this.subscribe(count);
  }

  async addServer(): Promise<void> {
    const server = this.harness.make();
    server.adapter.answer = async (what, { actionId }) => {
      if (!this.harness.database.actions.has(actionId)) this.strange.push(`action ${actionId} was not recorded`);
      if (what === 'destroy' || this.mood === 'well') return { status: 'done' };
      if (this.mood === 'failing') return { status: 'failed', reason: 'it failed' };
      if (this.mood === 'throwing') throw new Error('it threw');
      return new Promise(() => {});
    };
    this.servers.push(server);
    await this.during(server.engine.start());
  }

  /** Lets time pass until the work is done. */
  async during(work: Promise<unknown>): Promise<void> {
    let open = true;
    const ended = work
      .catch(() => {})
      .then(() => {
        open = false;
      });
    for (let round = 0; open && round < 200; round += 1) await this.harness.pass(250);
    await ended;
  }

  /** A client that reconnects, to whichever server, with the last number that it saw. */
  private subscribe(index: number): void {
    const mine: LeaseEventRecord[] = [];
    this.seen.push(mine);
    void (async () => {
      for (let turn = index; !this.over; turn += 1) {
        await settle(3);
        const server = this.servers[turn % Math.max(1, this.servers.length)];
        if (!server) continue;
        try {
          for await (const event of server.engine.events({ after: mine.at(-1)?.sequence ?? 0 })) {
            mine.push(event);
            if (!this.harness.database.events[event.sequence - 1])
              this.strange.push(`event ${event.sequence} was not committed`);
            if (index === 1) await settle(2);
          }
        } catch (error) {
          if (!(error instanceof CommandError) || error.code !== 'INVALID_REQUEST') this.strange.push(String(error));
        }
      }
    })();
  }

  request(server: Running, request: LeaseRequest, key: number | null): void {
    const options = key === null ? { principal } : { principal, idempotencyKey: `key ${key}` };
    server.engine.submit('request', request, options).then(
      ({ leaseNumber }) => this.acknowledged.push({ lease: leaseNumber, key, request }),
      (error: unknown) => this.expectRefusal(error, ['UNAVAILABLE', 'SHUTTING_DOWN', 'IDEMPOTENCY_CONFLICT']),
    );
  }

  cancel(server: Running, lease: number): void {
    server.engine
      .submit('cancel', { leaseNumber: lease }, { principal })
      .catch((error: unknown) =>
        this.expectRefusal(error, ['UNAVAILABLE', 'SHUTTING_DOWN', 'LEASE_NOT_FOUND', 'LEASE_ENDED']),
      );
  }

  private expectRefusal(error: unknown, codes: readonly string[]): void {
    if (!(error instanceof CommandError) || !codes.includes(error.code)) this.strange.push(String(error));
  }

  async carryOut(action: Step, index: number): Promise<void> {
    const { harness } = this;
    const server = this.servers[index % this.servers.length];
    if (!server) return;
    switch (action.kind) {
      case 'request': {
        const { best, machines, key } = action;
        const length = minutes(action.minutes);
        const start = harness.clock.now() + minutes(action.minutes);
        this.request(server, best ? bestEffort(length, machines) : reservationAt(start, length, machines), key);
        return settle(index % 7);
      }
      case 'cancel':
        return this.cancel(server, action.lease);
      case 'time':
        return harness.pass(action.seconds * 1_000, 100_000);
      case 'commit': {
        const faults = [...action.faults];
        for (const { store } of this.servers) store.commitFault = () => faults.shift() ?? null;
        return;
      }
      case 'down':
        harness.database.down = true;
        await harness.pass(action.seconds * 1_000, 1_000);
        harness.database.down = false;
        return;
      case 'cut':
        return harness.database.dropWriter();
      case 'kill':
        server.store.kill();
        this.servers = this.servers.filter((each) => each !== server);
        // What still runs of it in this process ends without a trace.
        void server.engine.stop();
        return this.addServer();
      case 'stop':
        await this.during(server.engine.stop());
        this.servers = this.servers.filter((each) => each !== server);
        return this.addServer();
      case 'hosts':
        this.mood = action.mood;
    }
  }

  /** All is well again, and time passes until every lease has ended. */
  async end(): Promise<void> {
    const { harness } = this;
    this.mood = 'well';
    harness.database.down = false;
    for (const { store } of this.servers) store.commitFault = () => null;
    await harness.pass(60_000, 1_000);
    await harness.pass(hours(24), minutes(5));
    const last = harness.database.events.length;
    for (let round = 0; round < 500 && this.seen.some((each) => each.length < last); round += 1)
      await harness.pass(100);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.over = true;
    await this.harness[Symbol.asyncDispose]();
  }
}

test('nothing acknowledged is lost or duplicated under any faults', {
  timeout: 300_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      await using world = new World();
      await world.begin();
      for (const [index, action] of steps.entries()) await world.carryOut(action, index);
      await world.end();

      const { database } = world.harness;
      const leases = [...database.leases.values()];
      const byKey = new Map<number, number>();
      const withoutKey = new Set<number>();
      for (const { lease, key, request } of world.acknowledged) {
        expect(database.leases.get(lease), `lease ${lease} was acknowledged`).toMatchObject({
          type: request.type,
          duration: request.duration,
          requestedStart: request.start ?? null,
        });
        if (key === null) {
          expect(withoutKey.has(lease), `lease ${lease} was acknowledged to two callers`).toBe(false);
          withoutKey.add(lease);
        } else expect(byKey.get(key) ?? lease).toBe(lease);
        if (key !== null) byKey.set(key, lease);
      }
      expect(sequenceFaults(database.events)).toEqual([]);
      expect(database.events[0]?.sequence ?? 1).toBe(1);
      expect(pathFaults(leases, database.events)).toEqual([]);
      expect(capacityFaults(siteOf(nodes), [...database.reservations.values()])).toEqual([]);
      expect(leases.filter(({ endedAt, state }) => endedAt === null && state !== 'REJECTED')).toEqual([]);
      expect([...database.actions.values()].filter(({ state }) => state === 'PENDING')).toEqual([]);
      expect(world.strange).toEqual([]);
      for (const seen of world.seen) expect(seen).toEqual(database.events);
    }),
    { numRuns: Number(process.env.LEASEGRAPH_INVARIANT_RUNS ?? 40), endOnFailure: true },
  );
});
