import fs, { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { lockDirectory } from '../../src/store/embedded/directory-lock.ts';

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'leasegraph-lock-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

describe('the lock of a data directory', () => {
  it('is held once, released, and taken again', async () => {
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

  it('has one holder when many take it at once', async () => {
    const directory = temporaryDirectory();
    for (let round = 0; round < 5; round++) {
      const all = await Promise.allSettled(Array.from({ length: 8 }, () => lockDirectory(directory)));
      const held = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      expect(held).toHaveLength(1);
      await held[0]?.release();
    }
  });

  it('does not outlive a dead process, or one whose pid is in use by another process', async () => {
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

  it('of another machine or container expires when it is no longer renewed', async () => {
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

  it('is found lost by a suspended process if another machine or container took it', async () => {
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
    expect(lock.lost.aborted).toBe(true);
    await lock.release();
  });
});
