/** Behaviour while the server, or the network to it, is down, and after its return. */
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { OpenStore } from '../../src/store/index.ts';
import { describeOwnServer } from '../support/databases.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { batch, event, lease, newSite, writerOf } from './site.ts';

const proxies: TcpProxy[] = [];
afterEach(async () => {
  for (const proxy of proxies.splice(0)) await proxy.close();
});

const unhandled: unknown[] = [];
const note = (error: unknown) => unhandled.push(error);
beforeAll(() => {
  process.on('unhandledRejection', note);
  process.on('uncaughtExceptionMonitor', note);
});
afterAll(() => {
  process.off('unhandledRejection', note);
  process.off('uncaughtExceptionMonitor', note);
  expect(unhandled).toEqual([]);
});

const transient = { name: 'StoreError', kind: 'TRANSIENT' };
/** Starts every kind of read at once. */
const reads = (store: OpenStore) => [
  store.load(),
  store.events(0, 10),
  store.eventRange(),
  store.idempotency([{ principal: 'a', key: 'b' }]),
  store.forwarded(10),
  store.clock(),
];

/** Retries until it succeeds, as callers do. */
async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      expect(error).toMatchObject(transient);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Resolves at the next notice of the kind. */
function noticesOf(store: OpenStore) {
  const target = new EventTarget();
  const listening = store.listen((notice) => target.dispatchEvent(new Event(notice)));
  return {
    listening,
    next: (kind: 'events' | 'commands') => once(target, kind, { signal: AbortSignal.timeout(60_000) }),
  };
}

describeOwnServer('a store whose server goes away', (database) => {
  const begin = async () => {
    const { open, databaseUrl } = await database.create();
    const { host, port, url } = database.server();
    const proxy = await startTcpProxy({ host, port });
    proxies.push(proxy);
    const remote = await open({ databaseUrl: url(new URL(databaseUrl ?? '').pathname.slice(1), proxy) });
    return { remote, open, proxy };
  };

  it.each(['fast', 'immediate'] as const)(
    'goes on after the server has stopped (%s) and started',
    async (mode) => {
      const { open } = await database.create();
      const store = await open();
      const writer = await newSite(store);
      const first = batch(null, { leases: [lease(1)], events: [event(1, 1)] });
      await store.commit(first, writer);
      const notices = noticesOf(store);
      await using _ = await notices.listening;
      const forwarding = store.forward('survives', AbortSignal.timeout(120_000));
      forwarding.catch(() => {});
      await expect.poll(() => store.forwarded(10)).toHaveLength(1);

      const during = Promise.allSettled([...reads(store), store.commit(batch(first.id), writer)]);
      await database.server().stop(mode);
      await during;
      if (!writer.lost.aborted) await once(writer.lost, 'abort');
      for (const read of await Promise.allSettled(reads(store))) {
        expect(read).toMatchObject({ status: 'rejected', reason: transient });
      }
      await expect(store.commit(batch(first.id), writer)).rejects.toMatchObject(transient);
      await expect(store.acquireWriter()).rejects.toMatchObject(transient);
      await expect(store.prisma.lease.count()).rejects.toThrow();

      const noticed = notices.next('events');
      await database.server().start();
      const again = await eventually(() => writerOf(store));
      await noticed;
      const loaded = await store.load();
      expect(loaded?.snapshot.leases).toEqual([lease(1)]);
      expect(await store.prisma.lease.count()).toBe(1);
      const [command] = await store.forwarded(10);
      expect(command?.payload).toBe('survives');
      await store.commit(
        batch(loaded?.lastCommit ?? null, {}, { answers: [{ commandId: command?.id ?? '', answer: 'done' }] }),
        again,
      );
      expect(await forwarding).toBe('done');
    },
    40_000,
  );

  it('continues after all its connections were cut', async () => {
    const { remote, proxy } = await begin();
    await newSite(remote);
    for (let round = 0; round < 5; round++) {
      const busy = Promise.allSettled([...reads(remote), remote.prisma.lease.count()]);
      proxy.cut();
      for (const one of await busy) {
        if (one.status === 'rejected') expect(String(one.reason)).not.toMatch(/password/i);
      }
      await eventually(() => Promise.all(reads(remote)));
    }
    expect(await remote.prisma.lease.count()).toBe(0);
  });

  it('refuses quickly while the server is down, and continues when it is up', async () => {
    const { remote, proxy } = await begin();
    await newSite(remote);
    await proxy.refuse();
    const began = Date.now();
    for (const read of await Promise.allSettled(reads(remote))) {
      expect(read).toMatchObject({ status: 'rejected', reason: transient });
    }
    expect(Date.now() - began).toBeLessThan(5_000);
    await proxy.accept();
    await eventually(() => Promise.all(reads(remote)));
  });

  it('receives events again after its listening connection was cut', async () => {
    const { remote, open, proxy } = await begin();
    const local = await open();
    const writer = await newSite(local);
    const notices = noticesOf(remote);
    await using _ = await notices.listening;
    const heard = notices.next('events');
    const first = batch(null, { leases: [lease(1)], events: [event(1, 1)] });
    await local.commit(first, writer);
    await heard;

    // What happens meanwhile goes unheard, so the return of the connection is a notice of its own.
    const returned = [notices.next('events'), notices.next('commands')];
    proxy.cut((sent) => sent.includes('LISTEN'));
    await Promise.all(returned);
    const live = notices.next('events');
    await local.commit(batch(first.id, { events: [event(2, 1)] }), writer);
    await live;
  });

  it('detects a silent listening connection', async () => {
    const { remote, open, proxy } = await begin();
    const local = await open();
    const writer = await newSite(local);
    const notices = noticesOf(remote);
    await using _ = await notices.listening;
    const heard = notices.next('events');
    proxy.pause((sent) => sent.includes('LISTEN'));
    const began = Date.now();
    await local.commit(batch(null, { leases: [lease(1)], events: [event(1, 1)] }), writer);
    await heard;
    expect(Date.now() - began).toBeLessThan(10_000);
    expect(await remote.events(0, 10)).toHaveLength(1);
  });

  it('does not hang on a connection that has gone silent', async () => {
    const { remote, proxy } = await begin();
    await newSite(remote);
    proxy.pause();
    const [read] = await Promise.allSettled([remote.eventRange()]);
    expect(read).toMatchObject({ status: 'rejected', reason: transient });
    proxy.resume();
    await eventually(() => Promise.all(reads(remote)));
  });

  it('closes even if the server no longer answers', async () => {
    const { remote, proxy } = await begin();
    await newSite(remote);
    await using _ = await remote.listen(() => {});
    proxy.pause();
    const began = Date.now();
    await remote.close();
    expect(Date.now() - began).toBeLessThan(5_000);
  });
});
