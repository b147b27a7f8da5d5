/**
 * A process that opens a store and holds it: `node PROGRAM DATABASE_URL DATA_DIR [writer|close]`.
 * DATABASE_URL may be empty (embedded). With `writer` it takes the right to write, makes the site and commits one lease
 * after another; with `close` it closes the store and ends. It tells what it has done, line by line.
 */

import { openStore } from '../../src/store/index.ts';
import { batch, lease, newSite, writerOf } from '../store/site.ts';

const [databaseUrl = '', dataDir = '', mode] = process.argv.slice(2);
const say = (line: string) => process.stdout.write(`${line}\n`);
try {
  const store = await openStore({ databaseUrl, dataDir });
  say('open');
  if (mode === 'close') {
    await store.listen(() => {});
    await store.acquireWriter();
    await store.prisma.lease.count();
    await store.close();
    say('closed');
  }
  if (mode === 'writer') {
    const loaded = await store.load();
    const writer = loaded === null ? await newSite(store) : await writerOf(store);
    say(`writer ${writer.epoch}`);
    writer.lost.addEventListener('abort', () => say('lost'));
    let previous = loaded?.lastCommit ?? null;
    for (let id = (loaded?.snapshot.leases.length ?? 0) + 1; ; id++) {
      const next = batch(previous, { leases: [lease(id)] });
      try {
        await store.commit(next, writer);
      } catch (error) {
        say(`refused ${(error as { kind?: string }).kind}`);
        break;
      }
      previous = next.id;
      say(`committed ${id}`);
    }
  }
} catch (error) {
  say(`error ${(error as Error).message}`);
  process.exitCode = 1;
}
