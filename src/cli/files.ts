import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { CliError } from './terminal.ts';

const BUFFERED = 1 << 20;

/** Writes a file whole or not at all: under another name first, then under its own. Throws CliError. */
export function writeFileWhole(path: string, pieces: Iterable<string>): void {
  const unfinished = `${path}.${process.pid}.tmp`;
  let file: number | null = null;
  try {
    file = openSync(unfinished, 'w');
    let buffered = '';
    for (const piece of pieces) {
      buffered += piece;
      if (buffered.length < BUFFERED) continue;
      writeAll(file, buffered);
      buffered = '';
    }
    writeAll(file, buffered);
    closeSync(file);
    file = null;
    renameSync(unfinished, path);
  } catch (error) {
    if (file !== null) closeSync(file);
    rmSync(unfinished, { force: true });
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw new CliError(`${path}: cannot be written: ${(error as Error).message}`);
  }
}

function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; ) from += writeSync(file, bytes, from);
}
