import { TraceError } from '../errors.ts';
import type { ReadOptions, ReadTrace } from './collector.ts';
import { readCsv } from './csv.ts';
import { readLwf } from './lwf.ts';
import { readLwfText } from './lwf-text.ts';
import { startOf, type TextSource, textLines } from './source.ts';
import { readSwf } from './swf.ts';
import { shorten } from './xml.ts';

export type TraceFormat = 'lwf' | 'swf' | 'lwf-text' | 'csv';

const readers: Readonly<Record<TraceFormat, (source: TextSource, options: ReadOptions) => ReadTrace>> = {
  lwf: readLwf,
  swf: readSwf,
  'lwf-text': readLwfText,
  csv: readCsv,
};

/** Reads a trace of any format. Throws TraceError. */
export function readTrace(source: TextSource, options: ReadOptions = {}): ReadTrace {
  return readers[detectFormat(source)](source, options);
}

/** Detects the format of a trace by its content, not by its name. Throws TraceError. */
export function detectFormat(source: TextSource): TraceFormat {
  const start = startOf(source);
  if (start === '') {
    throw new TraceError(
      'EMPTY_TRACE',
      source.name,
      1,
      'the file is empty, expected a trace (LWF, SWF, text LWF or CSV)',
    );
  }
  if (start.startsWith('<')) return 'lwf';
  if (start.startsWith(';')) return 'swf';
  let commentsOnly = 1;
  for (const { number, text } of textLines(source)) {
    const line = text.trim();
    if (line === '' || line.startsWith('#')) {
      commentsOnly = number;
      continue;
    }
    if (line.includes(';')) return 'csv';
    const fields = line.split(/\s+/).length;
    if (fields >= 18) return 'swf';
    if (fields === 10) return 'lwf-text';
    throw new TraceError(
      'UNKNOWN_FORMAT',
      source.name,
      number,
      `"${shorten(line)}" was found, expected LWF (XML), SWF (18 fields), text LWF (10 fields) or CSV (";" between fields)`,
    );
  }
  throw new TraceError('EMPTY_TRACE', source.name, commentsOnly, 'there are only comments, expected a trace');
}
