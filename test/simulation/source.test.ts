import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { fileSource } from '../../src/simulation/formats/source.ts';
import { readTrace } from '../../src/simulation/formats/trace.ts';

const folder = mkdtempSync(join(tmpdir(), 'leasegraph-source-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, bytes: Buffer) => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
};
const text = Array.from({ length: 5000 }, (_, i) => `${i} -1 60 60 1 1 512 0 ünïcode.img 1\n`).join('');

describe('a trace file', () => {
  it('may be compressed with gzip, under any name', () => {
    const plain = readTrace(fileSource(file('t.txt', Buffer.from(text))));
    const packed = readTrace(fileSource(file('t', gzipSync(text))));
    expect(packed.workload.leases).toEqual(plain.workload.leases);
    expect(packed.workload.leases).toHaveLength(5000);
  });

  it('is refused if it is damaged or UTF-16', () => {
    const damaged = file('damaged.gz', gzipSync(text).subarray(0, 200));
    expect(() => readTrace(fileSource(damaged))).toThrow(
      `${damaged}: cannot be decompressed as a gzip file: unexpected end of file`,
    );
    const swapped = Buffer.from(`\uFEFF${text.slice(0, 100)}`, 'utf16le').swap16();
    for (const bytes of [
      Buffer.from(`\uFEFF${text.slice(0, 100)}`, 'utf16le'),
      Buffer.from('<lease-workload/>', 'utf16le'),
      swapped,
    ]) {
      expect(() => readTrace(fileSource(file('utf16.lwf', bytes)))).toThrow('the file is UTF-16, expected UTF-8');
    }
  });
});
