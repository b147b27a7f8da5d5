import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { CliError } from './terminal.ts';

const bufferSize = 1 << 20;

/**
 * Writes a file whole or not at all: first under another name, then under its own. A device, a pipe or a link is
 * written to directly. Throws CliError.
 */
export function writeFileWhole(path: string, pieces: Iterable<string>): void {
  const present = lstatSync(path, { throwIfNoEntry: false });
  const inPlace = present !== undefined && !present.isFile();
  const unfinished = inPlace ? path : `${path}.${process.pid}.tmp`;
  let file: number | null = null;
  try {
    file = openSync(unfinished, 'w');
    let buffered = '';
    for (const piece of pieces) {
      buffered += piece;
      if (buffered.length < bufferSize) continue;
      writeAll(file, buffered);
      buffered = '';
    }
    writeAll(file, buffered);
    closeSync(file);
    file = null;
    if (!inPlace) renameSync(unfinished, path);
  } catch (error) {
    if (file !== null) closeSync(file);
    if (!inPlace) rmSync(unfinished, { force: true });
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw unwritable(path, error);
  }
}

/** Throws CliError if a file of that name cannot be written: before a run, not after it. */
export function expectWritable(path: string): void {
  const present = statSync(path, { throwIfNoEntry: false });
  if (present?.isDirectory() === true) {
    throw new CliError(`${path}: is a directory, expected the name of a file to write [FILE_UNWRITABLE]`);
  }
  try {
    accessSync(present === undefined || present.isFile() ? dirname(path) : path, constants.W_OK);
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** Throws CliError if a file to write is also read, or is to be written twice. */
export function expectApart(written: readonly (string | null)[], read: readonly (string | null | undefined)[]): void {
  const taken = new Map<string, string>();
  const take = (path: string, use: string) => {
    const identity = identityOf(path);
    if (identity === null) return;
    const other = taken.get(identity);
    if (other !== undefined && use === 'written') {
      throw new CliError(
        `${path}: is ${other === 'read' ? 'an input file' : 'written twice'}, expected another name for the output [FILE_UNWRITABLE]`,
      );
    }
    taken.set(identity, use);
  };
  for (const path of read) if (path != null && existsSync(path)) take(path, 'read');
  for (const path of written) if (path !== null) take(path, 'written');
}

/** Null for devices and pipes, which may be used several times. */
function identityOf(path: string): string | null {
  const present = statSync(path, { throwIfNoEntry: false });
  if (present === undefined) return resolve(path);
  return present.isFile() ? `${present.dev}:${present.ino}` : null;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'there is no such folder',
  EACCES: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
};

function unwritable(path: string, error: unknown): CliError {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return new CliError(`${path}: cannot be written: ${reasons[code] ?? message} [FILE_UNWRITABLE]`);
}

function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; ) from += writeSync(file, bytes, from);
}
