import { basename } from 'node:path';
import type { DiskImage } from '../../core/index.ts';
import { TraceError } from '../errors.ts';
import { LeaseCollector, type ReadOptions, type ReadTrace } from './collector.ts';
import { FieldReader } from './records.ts';
import { type TextSource, textLines } from './source.ts';
import { shorten } from './xml.ts';

/** Places of the fields in use; -1 where the form has no such field. */
interface Layout {
  readonly image: number;
  readonly imageSize: number;
  readonly nodes: number;
  readonly memory: number;
  readonly deadline: number;
  readonly duration: number;
  readonly known: number;
}

/** submit;start;image;imagesize;nodes;memory;cpu;mode;deadline;duration;realduration;type */
const longForm: Layout = { image: 2, imageSize: 3, nodes: 4, memory: 5, deadline: 8, duration: 9, known: 10 };
/** submit;image;imagesize;nodes;memory;cpu;mode;deadline;duration;type */
const shortForm: Layout = {
  image: 1,
  imageSize: 2,
  nodes: 3,
  memory: 4,
  deadline: 7,
  duration: 8,
  known: -1,
};
const layouts: Readonly<Record<number, Layout>> = { 12: longForm, 10: shortForm };

/**
 * Reads CSV (`;` between fields, times in seconds) in the long form of 12 and the short form of 10 fields. A deadline
 * counts from the submission and makes an advance reservation; NULL means best effort. Every machine has CPU 100.
 * Throws TraceError.
 */
export function readCsv(source: TextSource, options: ReadOptions = {}): ReadTrace {
  const collector = new LeaseCollector(source.name, options);
  let lastLine = 1;
  for (const { number, text } of textLines(source)) {
    lastLine = number;
    const trimmed = text.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    const words = trimmed.split(';').map((word) => word.trim());
    const layout = layouts[words.length];
    if (layout === undefined) {
      throw new TraceError(
        'UNEXPECTED_CONTENT',
        source.name,
        number,
        `${words.length} fields were found ("${shorten(trimmed)}"), expected 12 or 10 with ";" between them`,
      );
    }
    const fields = new FieldReader(source.name, number, words);
    const arrival = fields.millis(0, 'submit');
    const bestEffort = fields.text(layout.deadline) === 'NULL';
    const duration = fields.millis(layout.duration, 'duration');
    const known = layout.known < 0 ? duration : fields.millis(layout.known, 'realduration');
    const machine = { CPU: 100, Memory: fields.amount(layout.memory, 'memory') };
    for (const type of Object.keys(machine)) collector.usesType(type, number);
    collector.add(number, {
      type: bestEffort ? 'BEST_EFFORT' : 'ADVANCE_RESERVATION',
      arrival,
      machines: collector.interner.machines(fields.count(layout.nodes, 'nodes'), machine),
      duration,
      knownDuration: known === duration ? null : known,
      start: bestEffort ? null : arrival + fields.millis(layout.deadline, 'deadline'),
      preemptible: bestEffort,
      image: readImage(fields, layout),
      user: null,
    });
  }
  return collector.finish({ name: basename(source.name) }, lastLine, 'lines of 12 or 10 fields with ";" between them');
}

function readImage(fields: FieldReader, layout: Layout): DiskImage | null {
  const name = fields.text(layout.image);
  if (name === 'NONE' || name === '') return null;
  return { name: basename(name), sizeMb: fields.amount(layout.imageSize, 'imagesize') };
}
