/** The embedded database: PostgreSQL as a process that belongs to the data directory. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { convertDatabase } from '../../scripts/convert-database.ts';
import { openStore } from '../../src/store/index.ts';
import { readMigrations } from '../../src/store/migrate.ts';
import { describeDatabase } from '../support/databases.ts';
import { Holder } from '../support/holder.ts';
import { batch, event, lease, newSite, noon, reservation, site, writerOf } from './site.ts';

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'leasegraph-embedded-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** The process of PostgreSQL that runs on a data directory, as it says itself. */
const postmasterOf = (dataDir: string) =>
  Number(readFileSync(join(dataDir, 'db', 'postmaster.pid'), 'utf8').split('\n')[0]);

/** A process that nobody has waited for yet has no command line any more. */
const isRunning = (pid: number) =>
  existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';

/**
 * For tests that start processes: on a busy machine each may take a minute, which says nothing about the store (ms).
 */
const hangGuard = 600_000;

describeDatabase('embedded', 'a data directory', (database) => {
  it(
    'serves one process at a time, and the next one after a SIGKILL',
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
    'holds what was committed before a SIGKILL, round after round',
    async () => {
      const { dataDir, open } = await database.create();
      let acknowledged = 0;
      for (let round = 1; round <= 3; round++) {
        const holder = new Holder(null, dataDir, 'writer');
        await holder.says(`committed ${acknowledged + 5 * round}`);
        await holder.kill();
        acknowledged = Math.max(...holder.lines.map((line) => Number(/^committed (\d+)/.exec(line)?.[1] ?? 0)));
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
    const settings = await store.prisma.$queryRaw`
      SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes')
      ORDER BY name`;
    expect(settings).toEqual([
      { name: 'fsync', setting: 'on' },
      { name: 'full_page_writes', setting: 'on' },
      { name: 'synchronous_commit', setting: 'on' },
    ]);
  });

  it('listens only on a socket that is restricted to its owner', async () => {
    const { dataDir, open } = await database.create();
    const store = await open();
    expect(await store.prisma.$queryRaw`SELECT current_setting('listen_addresses') AS addresses`).toEqual([
      { addresses: '' },
    ]);
    const [row] = await store.prisma.$queryRaw<[{ directory: string }]>`
      SELECT current_setting('unix_socket_directories') AS directory`;
    expect(statSync(row.directory).mode & 0o777).toBe(0o700);
    expect(statSync(join(dataDir, 'db')).mode & 0o777).toBe(0o700);
    await store.close();
    expect(existsSync(row.directory)).toBe(false);
  });

  it(
    'stops PostgreSQL when it is closed, and leaves nothing running after a SIGKILL',
    async () => {
      const { dataDir, open } = await database.create();
      const store = await open();
      const closed = postmasterOf(dataDir);
      expect(isRunning(closed)).toBe(true);
      await store.close();
      expect(isRunning(closed)).toBe(false);
      const holder = new Holder(null, dataDir);
      await holder.says('open');
      const orphan = postmasterOf(dataDir);
      await holder.kill();
      await expect.poll(() => isRunning(orphan)).toBe(false);
    },
    hangGuard,
  );

  it(
    'stops what an earlier process left running',
    async () => {
      const { dataDir, open } = await database.create();
      const holder = new Holder(null, dataDir);
      await holder.says('open');
      const orphan = postmasterOf(dataDir);
      const guard = Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${orphan}/status`, 'utf8'))?.[1]);
      for (const each of childrenOf(guard)) if (each !== orphan) process.kill(each, 'SIGKILL');
      process.kill(guard, 'SIGKILL');
      await holder.kill();
      expect(isRunning(orphan)).toBe(true);
      const store = await open();
      expect(isRunning(orphan)).toBe(false);
      expect(postmasterOf(dataDir)).not.toBe(orphan);
      expect(await store.load()).toBeNull();
    },
    hangGuard,
  );

  it(
    'starts PostgreSQL again when it ends by itself, and whoever writes takes the lock anew',
    async () => {
      const { dataDir, open } = await database.create();
      const store = await open();
      const writer = await newSite(store);
      const first = batch(null, { leases: [lease(1)] });
      await store.commit(first, writer);
      const lost = once(writer.lost, 'abort');
      process.kill(postmasterOf(dataDir), 'SIGQUIT');
      await lost;
      await expect.poll(() => store.load().catch(() => null)).not.toBeNull();
      const again = await writerOf(store);
      await store.commit(batch(first.id, { leases: [lease(2)] }), again);
      expect((await store.load())?.snapshot.leases.map(({ id }) => id)).toEqual([1, 2]);
    },
    hangGuard,
  );

  it('acknowledges no commit after PostgreSQL has exited', async () => {
    const { dataDir, open } = await database.create();
    const store = await open();
    const writer = await newSite(store);
    const first = batch(null, { leases: [lease(1)], events: [event(1, 1)] });
    await store.commit(first, writer);
    renameSync(dataDir, `${dataDir}.gone`);
    onTestFinished(() => rmSync(`${dataDir}.gone`, { recursive: true, force: true }));
    await expect(store.commit(batch(first.id, { leases: [lease(2)] }), writer)).rejects.toMatchObject({
      kind: 'PERMANENT',
      message: expect.stringMatching(/is gone. Restore it, and start Leasegraph again/),
    });
    await expect(store.acquireWriter()).rejects.toMatchObject({ kind: 'PERMANENT' });
  });

  it('can be copied while it is closed', async () => {
    const { dataDir, open } = await database.create();
    const store = await open();
    await store.commit(batch(null, { leases: [lease(1)] }), await newSite(store));
    await store.close();
    const copy = join(temporaryDirectory(), 'copy');
    cpSync(dataDir, copy, { recursive: true });
    const copied = await openStore({ dataDir: copy });
    expect((await copied.load())?.snapshot.leases).toEqual([lease(1)]);
    await copied.close();
  });
});

describe('a new data directory', () => {
  it(
    'is made anew when a process was killed while making it',
    async () => {
      const dataDir = temporaryDirectory();
      mkdirSync(join(dataDir, 'db.new', 'base'), { recursive: true });
      writeFileSync(join(dataDir, 'db.new', 'PG_VERSION'), '18');
      const store = await openStore({ dataDir });
      expect(await store.load()).toBeNull();
      await store.close();
      expect(readdirSync(dataDir).sort()).toEqual(['db', 'lock']);
    },
    hangGuard,
  );

  it(
    'may have a path that is too long for a socket',
    async () => {
      const dataDir = join(temporaryDirectory(), 'a'.repeat(100));
      mkdirSync(dataDir);
      const store = await openStore({ dataDir });
      expect(await store.load()).toBeNull();
      await store.close();
      expect(readdirSync(dataDir).sort()).toEqual(['db', 'lock']);
    },
    hangGuard,
  );

  it.skipIf(process.getuid?.() !== 0)(
    'may lie where root alone can enter',
    async () => {
      const closed = temporaryDirectory();
      chmodSync(closed, 0o700);
      const store = await openStore({ dataDir: join(closed, 'data') });
      const writer = await newSite(store);
      await store.commit(batch(null, { leases: [lease(1)] }), writer);
      await store.close();
      // PostgreSQL does not run as root.
      expect(statSync(join(closed, 'data', 'db')).uid).not.toBe(0);
      const again = await openStore({ dataDir: join(closed, 'data') });
      expect((await again.load())?.snapshot.leases).toEqual([lease(1)]);
      await again.close();
    },
    60_000,
  );

  it('that cannot be written is a clear error', async () => {
    const file = join(temporaryDirectory(), 'file');
    writeFileSync(file, '');
    await expect(openStore({ dataDir: join(file, 'data') })).rejects.toMatchObject({
      name: 'StoreError',
      message: expect.stringContaining(join(file, 'data')),
    });
  });
});

/** A small disk of its own, for tests that fill it; null where this process may not mount one. */
function smallDisk(megabytes: number): string | null {
  const directory = temporaryDirectory();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', directory], {
      stdio: 'ignore',
    });
  } catch {
    return null;
  }
  onTestFinished(() => {
    execFileSync('umount', ['-l', directory]);
  });
  return directory;
}

describe('a full disk', () => {
  it(
    'is named at the first start, and nothing is left of it',
    async ({ skip }) => {
      const disk = smallDisk(15) ?? skip('this process may not mount a disk');
      const dataDir = join(disk, 'data');
      await expect(openStore({ dataDir })).rejects.toMatchObject({
        kind: 'TRANSIENT',
        message: expect.stringContaining(`No space is left on the disk that holds ${join(dataDir, 'db')}`),
      });
      expect(readdirSync(dataDir)).toEqual(['lock']);
    },
    hangGuard,
  );

  it(
    'is named at a later start, and is not called damage',
    async ({ skip }) => {
      const disk = smallDisk(60) ?? skip('this process may not mount a disk');
      const dataDir = join(disk, 'data');
      await (await openStore({ dataDir })).close();
      fill(disk);
      await expect(openStore({ dataDir })).rejects.toMatchObject({
        kind: 'TRANSIENT',
        message: expect.stringContaining('No space is left on the disk that holds'),
      });
      rmSync(join(disk, 'filling'));
      const store = await openStore({ dataDir });
      expect(await store.load()).toBeNull();
      await store.close();
    },
    hangGuard,
  );

  it(
    'keeps commits from being acknowledged until there is room again',
    async ({ skip }) => {
      const disk = smallDisk(80) ?? skip('this process may not mount a disk');
      const store = await openStore({ dataDir: join(disk, 'data') });
      onTestFinished(() => store.close());
      let writer = await newSite(store);
      let last = batch(null, { leases: [lease(1)] });
      await store.commit(last, writer);
      fill(disk);
      let failure: unknown = null;
      const acknowledged = [1];
      for (let id = 2; failure === null; id++) {
        const next = batch(last.id, { leases: [lease(id, { name: 'x'.repeat(100_000) })] });
        await store.commit(next, writer).then(
          () => {
            last = next;
            acknowledged.push(id);
          },
          (error: unknown) => {
            failure = error;
          },
        );
      }
      expect(failure).toMatchObject({ kind: 'TRANSIENT' });
      rmSync(join(disk, 'filling'));
      const loaded = await vi.waitFor(() => store.load(), { timeout: 120_000, interval: 200 });
      expect(loaded?.snapshot.leases.map(({ id }) => id)).toEqual(expect.arrayContaining(acknowledged));
      writer = await writerOf(store);
      await store.commit(batch(loaded?.lastCommit ?? null, { leases: [lease(9_999)] }), writer);
    },
    hangGuard,
  );
});

function fill(disk: string): void {
  try {
    execFileSync('dd', ['if=/dev/zero', `of=${join(disk, 'filling')}`, 'bs=64k'], { stdio: 'ignore' });
  } catch {
    // It ends when the disk is full.
  }
}

describe('a damaged database', () => {
  it(
    'is told, and not replaced by a new one',
    async () => {
      const dataDir = temporaryDirectory();
      await (await openStore({ dataDir })).close();
      const directory = join(dataDir, 'db');
      const refused = (how: string) =>
        expect(openStore({ dataDir })).rejects.toMatchObject({
          name: 'StoreError',
          kind: 'PERMANENT',
          message: expect.stringContaining(`The embedded database in ${directory} ${how}`),
        });
      const control = readFileSync(join(directory, 'global', 'pg_control'));
      writeFileSync(join(directory, 'global', 'pg_control'), '');
      await refused('does not start: ');
      writeFileSync(join(directory, 'global', 'pg_control'), control);
      writeFileSync(join(directory, 'PG_VERSION'), '99\n');
      await refused('was made by a newer version of Leasegraph (PostgreSQL 99). Run that version.');
      rmSync(join(directory, 'PG_VERSION'));
      await refused('is damaged: its file PG_VERSION is missing');
      expect(readFileSync(join(directory, 'global', 'pg_control')).equals(control)).toBe(true);
      rmSync(directory, { recursive: true });
      writeFileSync(directory, '');
      await refused('is damaged: its file PG_VERSION is missing');
    },
    hangGuard,
  );
});

describe('a database that an earlier version made with PGlite', () => {
  // The first version had one migration and the last that used PGlite had three: the others are applied on the way.
  it.each([1, 3])(
    'is refused with what to do, and converted (%i of the migrations)',
    async (count) => {
      const dataDir = temporaryDirectory();
      const former = await PGlite.create(join(dataDir, 'db'));
      const applied = (await readMigrations()).slice(0, count);
      for (const { sql } of applied) await former.exec(sql);
      await former.exec(`CREATE TABLE _prisma_migrations (id varchar(36) PRIMARY KEY, checksum varchar(64) NOT NULL,
      finished_at timestamptz, migration_name varchar(255) NOT NULL, logs text, rolled_back_at timestamptz,
      started_at timestamptz NOT NULL DEFAULT now(), applied_steps_count integer NOT NULL DEFAULT 0);
      INSERT INTO _prisma_migrations
        SELECT number, '2', now(), name FROM unnest('{${applied.map(({ name }) => name)}}'::text[]) WITH ORDINALITY AS of (name, number);
      UPDATE writers SET epoch = 7;
      INSERT INTO sites (id, name, resource_types, last_lease_id, last_event_sequence) VALUES (1, 'test', '{CPU,Memory}', 2, 1);`);
      for (const { number, hostname, capacity } of site.nodes) {
        await former.query('INSERT INTO nodes VALUES ($1, $2, $3)', [number, hostname, capacity]);
      }
      await former.exec(`
      INSERT INTO leases (number, name, type, state, preemptible, submitted_at, original_duration, duration, planned_start, placement)
        SELECT number, 'it''s', 'BEST_EFFORT', 'SCHEDULED', true, to_timestamp(${noon / 1_000}), 3600000, 3600000,
          to_timestamp(${noon / 1_000}), '{"mapping": {"1": 1}, "memoryAt": {}, "diskAt": {}}' FROM generate_series(1, 2) AS number;
      INSERT INTO lease_machines SELECT number, 1, '{"CPU": 100, "Memory": 1024}', 1 FROM generate_series(1, 2) AS number;
      INSERT INTO lease_events VALUES (1, to_timestamp(${noon / 1_000}), 1, 'NEW', 'PENDING');`);
      await former.close();
      await expect(openStore({ dataDir })).rejects.toMatchObject({
        kind: 'PERMANENT',
        message: `The embedded database in ${join(dataDir, 'db')} was made by an earlier version of Leasegraph, with PGlite. Convert it: npm run convert-database -- ${dataDir}`,
      });
      const copied = await convertDatabase(dataDir);
      expect([...copied].filter(([, count]) => count > 0)).toEqual([
        ['writers', 1],
        ['sites', 1],
        ['nodes', 4],
        ['leases', 2],
        ['lease_machines', 2],
        ['lease_events', 1],
      ]);
      const store = await openStore({ dataDir });
      const loaded = await store.load();
      expect(loaded?.unreadable).toEqual([]);
      expect(loaded?.snapshot.leases).toEqual([1, 2].map((id) => lease(id, { name: "it's" })));
      expect(await store.events(0, 9)).toEqual([event(1, 1)]);
      const writer = await writerOf(store);
      expect(writer.epoch).toBe(8);
      await store.commit(batch(null, { leases: [lease(3)], reservations: [reservation(1, 3)] }), writer);
      await store.close();
      expect(readdirSync(dataDir).sort()).toEqual(['db', 'db.pglite', 'lock']);
    },
    hangGuard,
  );
});

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
}
