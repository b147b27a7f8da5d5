import { closeSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { TraceError } from '../errors.ts';

/** A text that is read piece by piece, so that a large trace need not be in memory as a whole. */
export interface TextSource {
  /** The name in errors. */
  readonly name: string;
  chunks(): Iterable<string>;
}

const chunkBytes = 1 << 16;
/** Of a gzip file: it is decompressed in memory. */
const maxUnpackedBytes = 1 << 30;
/** A line is held in memory whole. */
export const maxLineLength = 1 << 20;

export function textSource(name: string, text: string): TextSource {
  return { name, chunks: () => [text] };
}

export function fileSource(path: string): TextSource {
  return { name: path, chunks: () => readChunks(path) };
}

function* readChunks(path: string): Generator<string, void> {
  const decoder = new StringDecoder('utf8');
  let first = true;
  for (const bytes of unpacked(path)) {
    if (first && isUtf16(bytes)) {
      throw new TraceError('UNKNOWN_FORMAT', path, null, 'the file is UTF-16, expected UTF-8');
    }
    first = false;
    yield decoder.write(bytes);
  }
  yield decoder.end();
}

function isUtf16(bytes: Buffer): boolean {
  const [first, second] = bytes;
  if (second === undefined) return false;
  return first === 0 || second === 0 || (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

/** The bytes of a file, decompressed where it is a gzip file. */
function* unpacked(path: string): Generator<Buffer, void> {
  const buffer = Buffer.allocUnsafe(chunkBytes);
  const file = unlessUnreadable(path, () => openSync(path, 'r'));
  try {
    const read = () =>
      buffer.subarray(
        0,
        unlessUnreadable(path, () => readSync(file, buffer, 0, chunkBytes, null)),
      );
    let chunk = read();
    if (chunk[0] === 0x1f && chunk[1] === 0x8b) {
      const parts: Buffer[] = [];
      for (; chunk.length > 0; chunk = read()) parts.push(Buffer.from(chunk));
      const whole = decompress(path, Buffer.concat(parts));
      for (let from = 0; from < whole.length; from += chunkBytes) yield whole.subarray(from, from + chunkBytes);
      return;
    }
    for (; chunk.length > 0; chunk = read()) yield chunk;
  } finally {
    closeSync(file);
  }
}

function decompress(path: string, bytes: Buffer): Buffer {
  // Loaded only when it is needed: most traces are not compressed.
  const { gunzipSync } = process.getBuiltinModule('node:zlib');
  try {
    return gunzipSync(bytes, { maxOutputLength: maxUnpackedBytes });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const tooLarge = code === 'ERR_BUFFER_TOO_LARGE';
    const detail = tooLarge
      ? `holds more than ${maxUnpackedBytes} bytes, expected a smaller gzip file`
      : `cannot be decompressed as a gzip file: ${message}`;
    throw new TraceError('NOT_WELL_FORMED', path, null, detail);
  }
}

function unlessUnreadable<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw new TraceError('FILE_UNREADABLE', path, null, unreadable(error));
  }
}

/** Why a file could not be read. */
export function unreadable(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EISDIR') return 'is a directory, expected a file';
  if (code === 'EACCES') return 'cannot be read (permission denied)';
  return `cannot be read (${code ?? String(error)})`;
}

/** The same chunks; refuses a line longer than {@link maxLineLength} before it has been read whole. */
export function* boundedChunks(source: TextSource): Generator<string, void> {
  let line = 1;
  let length = 0;
  const grow = (by: number) => {
    length += by;
    if (length > maxLineLength) {
      throw new TraceError(
        'LINE_TOO_LONG',
        source.name,
        line,
        `the line has more than ${maxLineLength} characters, expected shorter lines`,
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
    for (const text of lines) yield { number: ++number, text: text.endsWith('\r') ? text.slice(0, -1) : text };
  }
  if (rest !== '') yield { number: number + 1, text: rest };
}

/** The first characters of a text that are not blank. */
export function startOf(source: TextSource): string {
  for (const chunk of boundedChunks(source)) {
    const text = chunk.trimStart();
    if (text !== '') return text;
  }
  return '';
}
