/** The engine on the real databases: what the other tests show on a store in memory holds there as well. */
import { expect, test } from 'vitest';
import { defaultSchedulerConfig, type LeaseEventRecord } from '../../src/core/index.ts';
import { SimulatedAdapter } from '../../src/enactment/index.ts';
import { createEngine, type Engine, type EngineOptions, SiteClock } from '../../src/engine/index.ts';
import { describeDatabase, describeEachDatabase, type TestDatabase } from '../support/databases.ts';
import { bestEffort, minutes, principal, reservationAt, siteOf } from '../support/engine-harness.ts';
import { sequenceFaults } from '../support/invariants/index.ts';

interface Server {
  readonly engine: Engine;
  readonly events: readonly LeaseEventRecord[];
  /** Resolves when a lease has reached a state: `3 DONE`. */
  seen(what: string): Promise<void>;
  stop(): Promise<void>;
}

const engineOn = async (database: TestDatabase, overrides: Partial<EngineOptions> = {}): Promise<Server> => {
  const store = await database.open();
  const engine = await createEngine({
    store,
    adapter: new SimulatedAdapter(),
    site: { name: 'test', spec: siteOf(8) },
    scheduler: defaultSchedulerConfig,
    clock: new SiteClock(600),
    ...overrides,
  });
  const events: LeaseEventRecord[] = [];
  const waiting = new Map<string, () => void>();
  void (async () => {
    for await (const event of engine.events({ after: 0 })) {
      events.push(event);
      waiting.get(`${event.leaseId} ${event.to}`)?.();
    }
  })();
  const seen = (what: string): Promise<void> =>
    new Promise((resolve) => {
      waiting.set(what, resolve);
      if (events.some(({ leaseId, to }) => `${leaseId} ${to}` === what)) resolve();
    });
  const stop = async (): Promise<void> => {
    await engine.stop();
    await store.close();
  };
  return { engine, events, seen, stop };
};

const patience = 30_000;

describeEachDatabase('the engine', (database) => {
  test(
    'leases travel through the whole of their lives, and a restart goes on with them',
    async () => {
      const place = await database.create();
      const first = await engineOn(place);
      const options = { principal, idempotencyKey: 'key' };
      const { leaseNumber } = await first.engine.submit('request', bestEffort(minutes(5), 2), options);
      await first.engine.submit('request', reservationAt(first.engine.now() + minutes(20), minutes(5)), {
        principal,
      });
      await expect(first.engine.submit('request', bestEffort(-1), { principal })).rejects.toMatchObject({
        code: 'INVALID_REQUEST',
      });
      await first.seen('1 DONE');
      const before = first.engine.now();
      await first.stop();

      const second = await engineOn(place);
      expect(second.engine.status()).toMatchObject({ role: 'writer', problems: [] });
      expect(second.engine.now()).toBeGreaterThanOrEqual(before);
      expect(await second.engine.submit('request', bestEffort(minutes(5), 2), options)).toEqual({
        leaseNumber,
      });
      await expect(second.engine.submit('cancel', { leaseNumber: 1 }, { principal })).rejects.toMatchObject({
        code: 'LEASE_ENDED',
      });
      await second.seen('2 DONE');
      await second.stop();
      expect(sequenceFaults(second.events)).toEqual([]);
      expect(second.events.slice(0, first.events.length)).toEqual(first.events);
    },
    patience,
  );

  test(
    'many callers at once are answered by few commits, each with a lease of its own',
    async () => {
      const { engine, events, seen, stop } = await engineOn(await database.create());
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => engine.submit('request', bestEffort(minutes(1)), { principal })),
      );
      expect(new Set(answers.map(({ leaseNumber }) => leaseNumber)).size).toBe(100);
      await Promise.all(answers.map(({ leaseNumber }) => seen(`${leaseNumber} DONE`)));
      await stop();
      expect(sequenceFaults(events)).toEqual([]);
    },
    patience,
  );
});

describeDatabase('server', 'two engines', (database) => {
  test(
    'the second waits, serves and takes over',
    async () => {
      const place = await database.create();
      const writer = await engineOn(place);
      const standby = await engineOn(place);
      expect([writer.engine.status().role, standby.engine.status().role]).toEqual(['writer', 'standby']);
      expect(await standby.engine.submit('request', bestEffort(minutes(1)), { principal })).toEqual({
        leaseNumber: 1,
      });
      await standby.seen('1 DONE');
      await writer.stop();
      const options = { principal, idempotencyKey: 'key' };
      const asked = performance.now();
      const { leaseNumber } = await standby.engine.submit('request', bestEffort(minutes(1)), options);
      expect(performance.now() - asked).toBeLessThan(10_000);
      expect(standby.engine.status().role).toBe('writer');
      await standby.seen(`${leaseNumber} DONE`);
      await standby.stop();
      expect(sequenceFaults(standby.events)).toEqual([]);
    },
    patience,
  );
});
