/** Writers in separate processes on one server: killed, suspended and continued. */
import { expect, it } from 'vitest';
import { describeDatabase } from '../support/databases.ts';
import { Holder } from '../support/holder.ts';
import { batch, lease } from './site.ts';

describeDatabase('server', 'a writer in another process', (database) => {
  const begin = async () => {
    const { open, databaseUrl, dataDir } = await database.create();
    const store = await open();
    const holder = new Holder(databaseUrl, dataDir, 'writer');
    await holder.says('committed 20');
    expect(await store.acquireWriter()).toBeNull();
    const takeOver = async () => {
      const began = Date.now();
      for (;;) {
        const writer = await store.acquireWriter();
        if (writer !== null) return { writer, took: Date.now() - began };
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    };
    return { store, holder, takeOver };
  };
  const committed = (holder: Holder) =>
    Math.max(...holder.lines.map((line) => Number(/^committed (\d+)/.exec(line)?.[1] ?? 0)));

  it('leaves the right to write and all acknowledged commits when it is killed', async () => {
    const { store, holder, takeOver } = await begin();
    await holder.kill();
    const { writer, took } = await takeOver();
    expect(took).toBeLessThan(10_000);
    expect(writer.epoch).toBe(2);
    const loaded = await store.load();
    const count = loaded?.snapshot.leases.length ?? 0;
    expect([committed(holder), committed(holder) + 1]).toContain(count);
    expect(loaded?.lastCommit).toBe(writer.lastCommit);
  });

  it('is succeeded when it is suspended, and cannot commit when it continues', async () => {
    const { store, holder, takeOver } = await begin();
    holder.child.kill('SIGSTOP');
    const { writer, took } = await takeOver();
    expect(took).toBeLessThan(10_000);
    const before = await store.load();
    const next = batch(before?.lastCommit ?? null, { leases: [lease(1_000_000)] });
    await store.commit(next, writer);
    holder.child.kill('SIGCONT');
    expect(await holder.says('refused')).toMatch(/TRANSIENT|FENCED/);
    await holder.says('lost');
    const after = await store.load();
    expect(after?.lastCommit).toBe(next.id);
    expect(after?.snapshot.leases.map((one) => one.id)).toEqual([
      ...(before?.snapshot.leases.map((one) => one.id) ?? []),
      1_000_000,
    ]);
    expect(committed(holder)).toBeLessThanOrEqual(before?.snapshot.leases.length ?? 0);
  });
});

for (const kind of ['embedded', 'server'] as const) {
  describeDatabase(kind, 'a process that has closed its store', (database) => {
    it('exits by itself', async () => {
      const { databaseUrl, dataDir } = await database.create();
      const holder = new Holder(databaseUrl, dataDir, 'close');
      await holder.says('closed');
      const closed = Date.now();
      expect(await holder.exit()).toBe(0);
      expect(Date.now() - closed).toBeLessThan(3_000);
    });
  });
}
