import { basename } from 'node:path';
import { TraceError } from '../errors.ts';
import { LeaseCollector, type ReadOptions, type ReadTrace } from './collector.ts';
import { FieldReader } from './records.ts';
import { type TextSource, textLines } from './source.ts';
import { shorten } from './xml.ts';

const fieldNames = 'submit start duration realduration nodes cpu memory disk image imagesize';
const fieldCount = fieldNames.split(' ').length;

/**
 * Reads the old text form of LWF: one lease per line, ten fields separated by blanks, times in seconds. A start of -1
 * means best effort. One CPU is an amount of 100. Throws TraceError.
 */
export function readLwfText(source: TextSource, options: ReadOptions = {}): ReadTrace {
  const collector = new LeaseCollector(source.name, options);
  let lastLine = 1;
  for (const { number, text } of textLines(source)) {
    lastLine = number;
    const trimmed = text.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    const words = trimmed.split(/\s+/);
    if (words.length !== fieldCount) {
      throw new TraceError(
        'UNEXPECTED_CONTENT',
        source.name,
        number,
        `${words.length} fields were found ("${shorten(trimmed)}"), expected ${fieldCount}: ${fieldNames}`,
      );
    }
    const fields = new FieldReader(source.name, number, words);
    const bestEffort = words[1] === '-1';
    const cpu = fields.amount(5, 'cpu');
    const amounts = { CPU: cpu * 100, Memory: fields.amount(6, 'memory'), ...disk(fields.amount(7, 'disk')) };
    for (const type of Object.keys(amounts)) collector.usesType(type, number);
    const duration = fields.millis(2, 'duration');
    const known = fields.millis(3, 'realduration');
    collector.add(number, {
      type: bestEffort ? 'BEST_EFFORT' : 'ADVANCE_RESERVATION',
      arrival: fields.millis(0, 'submit'),
      machines: collector.interner.machines(fields.count(4, 'nodes'), amounts),
      duration,
      knownDuration: known === duration ? null : known,
      start: bestEffort ? null : fields.millis(1, 'start'),
      preemptible: bestEffort,
      image: { name: unquote(fields.text(8)), sizeMb: fields.amount(9, 'imagesize') },
      user: null,
    });
  }
  return collector.finish({ name: basename(source.name) }, lastLine, `lines "${fieldNames}"`);
}

function disk(amount: number): { Disk?: number } {
  return amount === 0 ? {} : { Disk: amount };
}

function unquote(text: string): string {
  return /^(['"]).*\1$/.test(text) ? text.slice(1, -1) : text;
}
