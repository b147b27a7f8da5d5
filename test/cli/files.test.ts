import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { writeFileWhole } from '../../src/cli/files.ts';

const folder = mkdtempSync(join(tmpdir(), 'leasegraph-files-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a file that is written', () => {
  const path = join(folder, 'result.json');

  it('is there whole, however large it is', () => {
    writeFileWhole(
      path,
      Array.from({ length: 3_000 }, () => 'é'.repeat(1_000)),
    );
    expect(readFileSync(path, 'utf8')).toBe('é'.repeat(3_000_000));
  });

  it('stays as it was, with nothing beside it, when what is to be written breaks off', () => {
    writeFileWhole(path, ['before']);
    const broken = function* () {
      yield 'x'.repeat(2_000_000);
      throw new Error('broken off');
    };
    expect(() => writeFileWhole(path, broken())).toThrow('broken off');
    expect(readFileSync(path, 'utf8')).toBe('before');
    expect(readdirSync(folder)).toEqual(['result.json']);
  });
});
