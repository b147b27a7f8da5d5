import fs, {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { lockDirectory } from '../../src/store/directory-lock.ts';
import { flush, pack, unpack } from '../../src/store/embedded-template.ts';
import { openStore } from '../../src/store/index.ts';
import { describeDatabase } from '../support/databases.ts';
import { Holder } from '../support/holder.ts';
import { batch, event, lease, newSite, writerOf } from './site.ts';

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'leasegraph-lock-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

describe('the lock of a data directory', () => {
  it('is held once, given back, and taken again', async () => {
    const directory = temporaryDirectory();
    const lock = await lockDirectory(directory);
    await expect(lockDirectory(directory)).rejects.toMatchObject({
      name: 'StoreError',
      kind: 'PERMANENT',
      message: `The data directory ${directory} is in use by this process (${process.pid}). Stop it, or set LEASEGRAPH_DATA_DIR to another directory.`,
    });
    await lock.release();
    await (await lockDirectory(directory)).release();
    expect(readdirSync(join(directory, 'lock'))).toEqual([]);
  });

  it('has one holder when many ask at once', async () => {
    const directory = temporaryDirectory();
    for (let round = 0; round < 5; round++) {
      const all = await Promise.allSettled(Array.from({ length: 8 }, () => lockDirectory(directory)));
      const held = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      expect(held).toHaveLength(1);
      await held[0]?.release();
    }
  }, 60_000);

  it('does not outlive a process that is dead, nor one whose pid somebody else has now', async () => {
    const directory = temporaryDirectory();
    const lock = await lockDirectory(directory);
    const [own = ''] = readdirSync(join(directory, 'lock'));
    await lock.release();
    const [pid, start, domain] = own.split('.');
    const claims = join(directory, 'lock');
    writeFileSync(join(claims, `999999999.${start}.${domain}.dead`), '');
    writeFileSync(join(claims, `${pid}.${Number(start) - 1}.${domain}.before`), '');
    const again = await lockDirectory(directory);
    expect(readdirSync(claims)).toHaveLength(1);
    await again.release();
  });

  it('of another machine or container ends when it is no longer renewed', async () => {
    const directory = temporaryDirectory();
    const claim = join(directory, 'lock', '17.4711.0123456789abcdef.elsewhere');
    mkdirSync(join(directory, 'lock'));
    writeFileSync(claim, '');
    await expect(lockDirectory(directory)).rejects.toThrow('process 17 of another machine or container');
    const past = new Date(Date.now() - 60_000);
    fs.utimesSync(claim, past, past);
    await (await lockDirectory(directory)).release();
    expect(existsSync(claim)).toBe(false);
  });

  it('is noticed to be lost by a process that stood still while another machine or container took it', async () => {
    const directory = temporaryDirectory();
    const lock = await lockDirectory(directory);
    await lock.confirm();
    const [own = ''] = readdirSync(join(directory, 'lock'));
    // What another does with a claim that was not renewed for long.
    fs.rmSync(join(directory, 'lock', own));
    const standstill = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 11_000);
    onTestFinished(() => standstill.mockRestore());
    await expect(lock.confirm()).rejects.toMatchObject({
      kind: 'PERMANENT',
      message: expect.stringMatching(/was taken over by another process while this one stood still/),
    });
    standstill.mockRestore();
    await expect(lock.confirm()).rejects.toThrow();
    await lock.release();
  });
});

/** For tests that start processes: on a busy machine each may take a minute, which says nothing about the store (ms). */
const hangGuard = 600_000;

describeDatabase('embedded', 'a data directory', (database) => {
  it(
    'serves one process at a time, and the next one after a kill -9',
    async () => {
      const { dataDir, open } = await database.create();
      const holder = new Holder(null, dataDir);
      await holder.says('open');
      await expect(open()).rejects.toMatchObject({
        name: 'StoreError',
        message: expect.stringContaining(`${dataDir} is in use by process ${holder.child.pid}.`),
      });
      const second = new Holder(null, dataDir);
      expect(await second.says('error')).toContain(`in use by process ${holder.child.pid}`);
      await holder.kill();
      const store = await open();
      expect(await store.load()).toBeNull();
    },
    hangGuard,
  );

  it(
    'holds what was committed before a kill -9, round after round',
    async () => {
      const { dataDir, open } = await database.create();
      let acknowledged = 0;
      for (let round = 1; round <= 3; round++) {
        const holder = new Holder(null, dataDir, 'writer');
        await holder.says(`committed ${acknowledged + 5 * round}`);
        await holder.kill();
        acknowledged = Math.max(
          ...holder.lines.map((line) => Number(/^committed (\d+)/.exec(line)?.[1] ?? 0)),
        );
        const store = await open();
        const loaded = await store.load();
        const ids = loaded?.snapshot.leases.map((one) => one.id) ?? [];
        // The last commit may have been written without its answer having been heard; nothing else may differ.
        expect([acknowledged, acknowledged + 1]).toContain(ids.length);
        expect(ids).toEqual(ids.map((_, index) => index + 1));
        expect(loaded?.unreadable).toEqual([]);
        expect((await writerOf(store)).epoch).toBe(2 * round);
        acknowledged = ids.length;
        await store.close();
      }
    },
    hangGuard,
  );

  it('flushes each commit to the disk before it answers', async () => {
    const { open } = await database.create();
    const store = await open();
    const writer = await newSite(store);
    const flush = vi.spyOn(fs, 'fsyncSync');
    syncBuiltinESMExports();
    onTestFinished(() => {
      flush.mockRestore();
      syncBuiltinESMExports();
    });
    await store.load();
    expect(flush).toHaveBeenCalledTimes(0);
    const first = batch(null, { leases: [lease(1)], events: [event(1, 1)] });
    await store.commit(first, writer);
    expect(flush).toHaveBeenCalledTimes(1);
    await store.commit(batch(first.id, { leases: [lease(2)] }), writer);
    expect(flush).toHaveBeenCalledTimes(2);
  });

  it('goes on after its disk was full', async () => {
    const { open } = await database.create();
    const store = await open();
    const writer = await newSite(store);
    const first = batch(null, { leases: [lease(1)] });
    await store.commit(first, writer);
    const write = vi.spyOn(fs, 'writeSync');
    const space = vi.spyOn(fs.promises, 'statfs');
    const restore = () => {
      write.mockRestore();
      space.mockRestore();
      syncBuiltinESMExports();
    };
    onTestFinished(restore);
    write.mockImplementation(() => {
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC', errno: -28 });
    });
    space.mockResolvedValue({ bavail: 0, bsize: 4096 } as fs.StatsFs);
    syncBuiltinESMExports();
    const second = batch(first.id, { leases: [lease(2)] });
    await expect(store.commit(second, writer)).rejects.toMatchObject({ kind: 'TRANSIENT' });
    expect(writer.lost.aborted).toBe(true);
    await expect(store.commit(second, writer)).rejects.toMatchObject({ kind: 'TRANSIENT' });
    await expect(store.load()).rejects.toMatchObject({
      kind: 'TRANSIENT',
      message: expect.stringContaining('full'),
    });
    await expect(store.acquireWriter()).rejects.toMatchObject({ kind: 'TRANSIENT' });
    await expect(store.prisma.lease.count()).rejects.toThrow();
    restore();
    const again = await writerOf(store);
    await store.commit(second, again);
    expect((await store.load())?.snapshot.leases).toEqual([lease(1), lease(2)]);
    expect(await store.prisma.lease.count()).toBe(2);
  }, 60_000);

  it('is opened in moments when it is there', async () => {
    const { open } = await database.create();
    await (await open()).close();
    // Time of the processor, since tests share the machine: what it takes on an idle one.
    const before = process.cpuUsage();
    await open();
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(1.5);
  });
});

describe('a damaged database', () => {
  it('is told, and not replaced by a new one', async () => {
    const dataDir = temporaryDirectory();
    await (await openStore({ dataDir })).close();
    const directory = join(dataDir, 'db');
    const refused = (how: string) =>
      expect(openStore({ dataDir })).rejects.toMatchObject({
        name: 'StoreError',
        kind: 'PERMANENT',
        message: expect.stringContaining(`The embedded database in ${directory} is damaged: ${how}`),
      });
    const control = readFileSync(join(directory, 'global', 'pg_control'));
    writeFileSync(join(directory, 'global', 'pg_control'), '');
    await refused('PostgreSQL does not start on its files');
    writeFileSync(join(directory, 'global', 'pg_control'), control);
    rmSync(join(directory, 'PG_VERSION'));
    await refused('its file PG_VERSION is missing');
    expect(readFileSync(join(directory, 'global', 'pg_control')).equals(control)).toBe(true);
    rmSync(directory, { recursive: true });
    writeFileSync(directory, '');
    await refused('its file PG_VERSION is missing');
  }, 120_000);
});

describe('a new data directory', () => {
  it('is made anew when a process was killed while making it', async () => {
    const dataDir = temporaryDirectory();
    mkdirSync(join(dataDir, 'db.new', 'base'), { recursive: true });
    writeFileSync(join(dataDir, 'db.new', 'PG_VERSION'), '18');
    const store = await openStore({ dataDir });
    expect(await store.load()).toBeNull();
    await store.close();
    expect(readdirSync(dataDir).sort()).toEqual(['db', 'lock']);
  }, 120_000);

  it('that does not fit on its disk is told so, and nothing is left of it', async () => {
    const dataDir = temporaryDirectory();
    const write = vi.spyOn(fs, 'writeSync').mockImplementation(() => {
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC', errno: -28 });
    });
    const unpacking = vi.spyOn(fs.promises, 'writeFile').mockImplementation(async (path, ...more) => {
      if (String(path).includes('db.new')) throw new Error('ENOSPC: no space left on device');
      await fs.promises.appendFile(path as string, String(more[0]));
    });
    syncBuiltinESMExports();
    onTestFinished(() => {
      write.mockRestore();
      unpacking.mockRestore();
      syncBuiltinESMExports();
    });
    await expect(openStore({ dataDir })).rejects.toMatchObject({
      kind: 'TRANSIENT',
      message: `The embedded database in ${join(dataDir, 'db')} cannot be opened: no space is left on its disk [53100]`,
    });
    expect(readdirSync(dataDir)).toEqual(['lock']);
  }, 120_000);

  it('is unpacked as it was packed, and not at all from a damaged file', async () => {
    const directory = temporaryDirectory();
    const [from, to, file] = [join(directory, 'from'), join(directory, 'to'), join(directory, 'template.gz')];
    mkdirSync(join(from, 'empty', 'emptier'), { recursive: true });
    mkdirSync(join(from, 'full'));
    writeFileSync(join(from, 'nothing'), '');
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 7) % 256));
    writeFileSync(join(from, 'full', 'bytes'), bytes);
    await pack(from, file);
    expect(await unpack(to, file)).toBe(true);
    expect(readdirSync(to, { recursive: true }).sort()).toEqual(
      readdirSync(from, { recursive: true }).sort(),
    );
    expect(readFileSync(join(to, 'full', 'bytes')).equals(bytes)).toBe(true);
    await flush(to);
    rmSync(to, { recursive: true });
    const packed = readFileSync(file);
    for (const damaged of [
      packed.subarray(0, packed.length / 2),
      gzipSync('[]\nmore'),
      gzipSync('?'),
      Buffer.of(),
    ]) {
      writeFileSync(file, damaged);
      expect(await unpack(to, file)).toBe(false);
      expect(existsSync(to)).toBe(false);
    }
    rmSync(file);
    expect(await unpack(to, file)).toBe(false);
  });

  it('that cannot be written is a clear error', async () => {
    const file = join(temporaryDirectory(), 'file');
    writeFileSync(file, '');
    await expect(openStore({ dataDir: join(file, 'data') })).rejects.toMatchObject({
      name: 'StoreError',
      message: expect.stringContaining(join(file, 'data')),
    });
  });
});
