import { closeSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { TraceError } from '../errors.ts';

/** A text that is read piece by piece, so that large traces need not be in memory as a whole. */
export interface TextSource {
  /** As errors name it. */
  readonly name: string;
  chunks(): Iterable<string>;
}

const CHUNK_BYTES = 1 << 16;
/** Longer lines are no trace that anybody wrote; they would be read into memory whole. */
export const MAX_LINE_LENGTH = 1 << 20;

export function textSource(name: string, text: string): TextSource {
  return { name, chunks: () => [text] };
}

export function fileSource(path: string): TextSource {
  return { name: path, chunks: () => readChunks(path) };
}

function* readChunks(path: string): Generator<string, void> {
  const decoder = new StringDecoder('utf8');
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  const file = unlessUnreadable(path, () => openSync(path, 'r'));
  try {
    for (;;) {
      const length = unlessUnreadable(path, () => readSync(file, buffer, 0, CHUNK_BYTES, null));
      if (length === 0) break;
      yield decoder.write(buffer.subarray(0, length));
    }
    yield decoder.end();
  } finally {
    closeSync(file);
  }
}

function unlessUnreadable<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw new TraceError('FILE_UNREADABLE', path, null, unreadable(error));
  }
}

/** Why a file could not be read, in words. */
export function unreadable(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EISDIR') return 'is a directory, expected a file';
  if (code === 'EACCES') return 'may not be read (permission denied)';
  return `cannot be read (${code ?? String(error)})`;
}

/** The same chunks; refuses a line that is longer than {@link MAX_LINE_LENGTH} before it has been read whole. */
export function* boundedChunks(source: TextSource): Generator<string, void> {
  let line = 1;
  let length = 0;
  const grow = (by: number) => {
    length += by;
    if (length > MAX_LINE_LENGTH) {
      throw new TraceError(
        'LINE_TOO_LONG',
        source.name,
        line,
        `the line has more than ${MAX_LINE_LENGTH} characters, expected shorter lines`,
      );
    }
  };
  let first = true;
  for (const chunk of source.chunks()) {
    const text = first && chunk.startsWith('\uFEFF') ? chunk.slice(1) : chunk;
    first &&= chunk === '';
    let from = 0;
    for (let to = text.indexOf('\n'); to >= 0; to = text.indexOf('\n', from)) {
      grow(to - from);
      line += 1;
      length = 0;
      from = to + 1;
    }
    grow(text.length - from);
    yield text;
  }
}

/** One line of a text file, without its line end. */
export interface TextLine {
  readonly number: number;
  readonly text: string;
}

export function* textLines(source: TextSource): Generator<TextLine, void> {
  let number = 0;
  let rest = '';
  for (const chunk of boundedChunks(source)) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines)
      yield { number: ++number, text: text.endsWith('\r') ? text.slice(0, -1) : text };
  }
  if (rest !== '') yield { number: number + 1, text: rest };
}

/** The first characters of a text, to tell its format by. */
export function startOf(source: TextSource): string {
  for (const chunk of boundedChunks(source)) {
    const text = chunk.trimStart();
    if (text !== '') return text;
  }
  return '';
}
