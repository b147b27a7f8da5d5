/** `leasegraph check` on a database in use finds every kind of damage that the next start would leave out. */
import { beforeAll, expect, it } from 'vitest';
import { defaultSchedulerConfig } from '../../src/core/index.ts';
import { SimulatedAdapter } from '../../src/enactment/index.ts';
import { createEngine } from '../../src/engine/index.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { hours, minutes, principal, reservationAt, siteOf } from '../support/engine-harness.ts';
import { build, run } from '../support/server-process.ts';

beforeAll(build);

const damages: readonly { readonly sql: string; readonly found: string }[] = [
  {
    // Lease 2 is moved into the time of lease 1, on the same node.
    sql: `UPDATE reservations SET starts_at = starts_at - interval '1 hour', ends_at = ends_at - interval '1 hour' WHERE lease_number = 2 AND kind = 'VM'`,
    found: 'OVER_CAPACITY: node 1 is over capacity',
  },
  {
    sql: `UPDATE leases SET state = 'CANCELLED' WHERE number = 3`,
    found: 'its lease is not among the live ones',
  },
  {
    sql: `UPDATE leases SET placement = '{}' WHERE number = 4`,
    found: 'unreadable: Lease 4: placement.mapping: ',
  },
  {
    sql: `UPDATE lease_machines SET amounts = '{"Quantum": 3}' WHERE lease_number = 5`,
    found: 'REFUSED_LEASE: lease 5: the scheduler does not take it',
  },
  {
    sql: `UPDATE leases SET placement = jsonb_set(placement, '{mapping}', '{"1": 99}') WHERE number = 6`,
    found: 'UNKNOWN_NODE: lease 6: machine 1 is on node 99',
  },
  {
    sql: `UPDATE leases SET duration = 0 WHERE number = 7`,
    found: 'INVALID_LEASE: lease 7: duration 0 ms',
  },
  {
    sql: `UPDATE reservations SET number = 1000 WHERE number = (SELECT min(number) FROM reservations WHERE lease_number = 8)`,
    found: 'INVALID_RESERVATION: reservation 1000',
  },
  {
    sql: `DELETE FROM reservation_nodes WHERE reservation_number = (SELECT min(number) FROM reservations WHERE lease_number = 9)`,
    found: 'holds nothing on node 1, where its machines are',
  },
];

describeEachDatabase('leasegraph check', (database) => {
  it('reports that a sound database is sound, and finds damaged rows', { timeout: 120_000 }, async () => {
    const place = await database.create();
    const environment = {
      LEASEGRAPH_DATA_DIR: place.dataDir,
      ...(place.databaseUrl !== null && { DATABASE_URL: place.databaseUrl }),
    };
    const begin = async () => {
      const store = await place.open();
      const engine = await createEngine({
        store,
        adapter: new SimulatedAdapter(),
        site: { name: 'test', spec: siteOf(1) },
        scheduler: defaultSchedulerConfig,
      });
      const stop = async (): Promise<void> => {
        await engine.stop();
        await store.close();
      };
      return { store, engine, stop };
    };
    let { store, engine, stop } = await begin();
    const start = engine.now() + hours(1);
    for (let count = 0; count < 9; count += 1)
      await engine.submit('request', reservationAt(start + hours(count), minutes(30)), { principal });
    await expect.poll(() => store.prisma.lease.count({ where: { state: 'READY' } })).toBe(9);

    // A server continues meanwhile; an embedded database belongs to one process.
    const check = async () => {
      if (database.kind === 'embedded') await stop();
      const checked = await run(['check'], environment);
      if (database.kind === 'embedded') ({ store, engine, stop } = await begin());
      return checked;
    };
    expect(await check()).toMatchObject({ code: 0, stdout: expect.stringContaining(' 0 problems.') });
    for (const { sql } of damages) expect(await store.prisma.$executeRawUnsafe(sql)).toBe(1);
    const { code, stdout, stderr } = await check();
    expect(code).toBe(1);
    expect(stderr).toContain('what is stored is not sound');
    for (const { found } of damages) expect(stdout).toContain(found);
    expect(await run(['check', '--discard', '1'], environment)).toMatchObject({ code: 1 });
    await stop();
    expect(await run(['check', '--discard', '1'], environment)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('lease 1 is not among those that are not sound; cancel it instead'),
    });
    for (const lease of ['4', '9']) {
      expect(await run(['check', '--discard', lease], environment)).toMatchObject({
        code: 0,
        stdout: `Lease ${lease} was discarded: it is FAILED.\n`,
      });
    }
    const again = await run(['check'], environment);
    expect(again.stdout).not.toMatch(/lease [49]\b/i);
    const reopened = await place.open();
    const row = await reopened.prisma.lease.findUniqueOrThrow({
      where: { number: 9 },
      include: { events: true, reservations: true },
    });
    expect(row).toMatchObject({ state: 'FAILED', reasonCode: 'DISCARDED', reservations: [] });
    expect(row.events.at(-1)).toMatchObject({ from: 'READY', to: 'FAILED', reasonCode: 'DISCARDED' });
    const failures = await reopened.notices(0, 100);
    expect(failures.filter(({ kind }) => kind === 'LEASE_FAILED')).toMatchObject(
      [4, 9].map((leaseId) => ({ leaseId, reason: { code: 'DISCARDED' } })),
    );
    expect(await reopened.eventRange()).toMatchObject({ newest: Number(row.events.at(-1)?.sequence) });
    expect(await reopened.prisma.action.findMany({ where: { kind: 'DESTROY', leaseNumber: 9 } })).toMatchObject([
      { state: 'PENDING', targets: [{ leaseId: 9, machine: 1, node: 1 }] },
    ]);
    // The next server continues from there.
    const engine2 = await createEngine({
      store: reopened,
      adapter: new SimulatedAdapter(),
      site: { name: 'test', spec: siteOf(1) },
      scheduler: defaultSchedulerConfig,
    });
    await engine2.stop();
  });
});
