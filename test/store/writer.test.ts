import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import type { WriterTerm } from '../../src/engine/ports.ts';
import type { OpenStore } from '../../src/store/index.ts';
import { describeDatabase, describeEachDatabase } from '../support/databases.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { batch, lease, newSite, writerOf } from './site.ts';

const proxies: TcpProxy[] = [];
afterEach(async () => {
  for (const proxy of proxies.splice(0)) await proxy.close();
});

const lost = async (writer: WriterTerm) => {
  if (!writer.lost.aborted) await once(writer.lost, 'abort');
  expect(writer.lost.reason).toMatchObject({ name: 'StoreError', kind: 'TRANSIENT' });
};

/** Retries like a standby until the lock is free. Returns how long it took (ms). */
async function takeOver(store: OpenStore): Promise<{ readonly writer: WriterTerm; readonly took: number }> {
  const began = Date.now();
  for (;;) {
    const writer = await store.acquireWriter();
    if (writer !== null) return { writer, took: Date.now() - began };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

describeEachDatabase('the right to write', (database) => {
  it('is fenced by its epoch', async () => {
    const { open } = await database.create();
    const store = await open();
    const writer = await newSite(store);
    await store.confirm(null, writer);
    await expect(store.confirm(batch(null).id, writer)).rejects.toMatchObject({ kind: 'FENCED' });
    // Like another process that took over while this one was suspended.
    await store.prisma.writer.update({ where: { id: 1 }, data: { epoch: { increment: 1 } } });
    const late = batch(null, { leases: [lease(1)] });
    await expect(store.commit(late, writer)).rejects.toMatchObject({ name: 'StoreError', kind: 'FENCED' });
    await expect(store.createSite('x', { resourceTypes: [], nodes: [] }, writer)).rejects.toMatchObject({
      kind: 'FENCED',
    });
    await expect(store.confirm(null, writer)).rejects.toMatchObject({ kind: 'FENCED' });
    expect(await store.prisma.lease.count()).toBe(0);
  });

  it('ends when it is released, and the next epoch is higher', async () => {
    const { open } = await database.create();
    const store = await open();
    const first = await writerOf(store);
    expect(first.lost.aborted).toBe(false);
    await first.release();
    expect(first.lost.aborted).toBe(true);
    const second = await writerOf(store);
    const third = await writerOf(store);
    expect([first.epoch, second.epoch, third.epoch]).toEqual([1, 2, 3]);
    expect(second.lost.aborted).toBe(true);
    await third.release();
    await third.release();
  });
});

describeDatabase('server', 'the right to write of several processes', (database) => {
  const two = async () => {
    const { open, databaseUrl } = await database.create();
    const name = new URL(databaseUrl ?? '').pathname.slice(1);
    const { host, port, url } = database.server();
    const proxy = await startTcpProxy({ host, port });
    proxies.push(proxy);
    const remote = await open({ databaseUrl: url(name, proxy) });
    return { remote, local: await open(), proxy, name };
  };

  it('is held by one of them', async () => {
    const { remote, local } = await two();
    const writer = await newSite(remote);
    expect(await local.acquireWriter()).toBeNull();
    expect(await local.acquireWriter()).toBeNull();
    await writer.release();
    expect(await takeOver(local)).toMatchObject({ writer: { epoch: 2 } });
    expect(await remote.acquireWriter()).toBeNull();
  });

  it('is released when the store closes', async () => {
    const { remote, local } = await two();
    const writer = await newSite(remote);
    await remote.close();
    expect(writer.lost.aborted).toBe(true);
    expect((await takeOver(local)).took).toBeLessThan(2_000);
  });

  it('is lost with its connection, even during a commit', async () => {
    const { remote, local, proxy } = await two();
    const writer = await newSite(remote);
    const leases = Array.from({ length: 2_000 }, (_, index) => lease(index + 1));
    const commit = remote.commit(batch(null, { leases }), writer);
    proxy.cut();
    await expect(commit).rejects.toMatchObject({ name: 'StoreError', kind: 'TRANSIENT' });
    await lost(writer);
    await expect(remote.commit(batch(null), writer)).rejects.toMatchObject({ kind: 'TRANSIENT' });
    const { writer: next } = await takeOver(local);
    const count = await local.prisma.lease.count();
    expect(count).toBe(next.lastCommit === null ? 0 : 2_000);
  });

  it('is regained by a retry that does not write twice', async () => {
    const { remote, proxy } = await two();
    const writer = await newSite(remote);
    const first = batch(null, { leases: [lease(1)] });
    await remote.commit(first, writer);
    // The server writes it, but its answer does not come.
    const second = batch(first.id, { leases: [lease(1), lease(2)] });
    proxy.cut();
    await expect(remote.commit(second, writer)).rejects.toMatchObject({ kind: 'TRANSIENT' });
    const { writer: again } = await takeOver(remote);
    await remote.commit(second, again);
    await remote.commit(second, again);
    expect(await remote.prisma.lease.count()).toBe(2);
  });

  it('is lost when the session ends in any way', async () => {
    const { remote, local, name } = await two();
    const writer = await newSite(remote);
    const [ended] = await database.server().sql(
      `SELECT pg_terminate_backend(pid) AS done FROM pg_locks JOIN pg_stat_activity USING (pid)
         WHERE locktype = 'advisory' AND datname = '${name}'`,
    );
    expect(ended).toEqual({ done: true });
    await lost(writer);
    await takeOver(local);
  });

  it('is found lost on a silent connection, and another store takes over within ten seconds', async () => {
    const { remote, local, proxy } = await two();
    const writer = await newSite(remote);
    proxy.pause();
    const [{ writer: next, took }] = await Promise.all([takeOver(local), lost(writer)]);
    expect(took).toBeLessThan(10_000);
    const committed = batch(null, { leases: [lease(7)] });
    await local.commit(committed, next);
    // What the old one sent into the dead connection arrives at last.
    proxy.resume();
    await expect(remote.commit(batch(null, { leases: [lease(8)] }), writer)).rejects.toMatchObject({
      name: 'StoreError',
    });
    expect((await local.load())?.snapshot.leases.map((one) => one.id)).toEqual([7]);
    expect(await remote.acquireWriter()).toBeNull();
  });

  it('can be regained by the same store over a connection that the server still considers open', async () => {
    const { remote, proxy } = await two();
    const writer = await newSite(remote);
    proxy.pause((sent) => sent.includes('leasegraph_commit') || sent.includes('pg_try_advisory_lock'));
    await lost(writer);
    expect(await takeOver(remote)).toMatchObject({ writer: { epoch: 2 } });
  });
});
