import { basename } from 'node:path';
import { TraceError } from '../errors.ts';
import { LeaseCollector, type ReadOptions, type ReadTrace } from './collector.ts';
import { type TextSource, textLines } from './source.ts';
import { MAX_COUNT } from './values.ts';
import { shorten } from './xml.ts';

const FIELDS = 18;
/** Places of the fields of a job, from 0. */
const SUBMIT = 1;
const RUN_TIME = 3;
const ALLOCATED_PROCESSORS = 4;
const REQUESTED_PROCESSORS = 7;
const REQUESTED_TIME = 8;
const USER = 11;

/**
 * Reads a job log in the Standard Workload Format. A job becomes a preemptible best-effort lease of CPU 100 on every machine; jobs that
 * never ran, or of which neither time nor size is known, are left out. Throws TraceError.
 */
export function readSwf(source: TextSource, options: ReadOptions = {}): ReadTrace {
  const { scale = 1, memory = 1024 } = options.swf ?? {};
  const collector = new LeaseCollector(source.name, options);
  let lastLine = 1;
  let skipped = 0;
  for (const { number, text } of textLines(source)) {
    lastLine = number;
    const trimmed = text.trim();
    if (trimmed === '' || trimmed.startsWith(';')) continue;
    const job = readFields(source.name, number, trimmed);
    const field = (place: number) => job[place] as number;
    const requestedTime = field(REQUESTED_TIME);
    const requestedProcessors = field(REQUESTED_PROCESSORS);
    const duration = requestedTime > 0 ? requestedTime : field(RUN_TIME);
    const processors = requestedProcessors > 0 ? requestedProcessors : field(ALLOCATED_PROCESSORS);
    if (field(RUN_TIME) < 0 || duration <= 0 || processors <= 0) {
      skipped += 1;
      continue;
    }
    const machines = Math.ceil(processors / scale);
    const arrival = field(SUBMIT);
    if (arrival < 0 || machines > MAX_COUNT) {
      const found = arrival < 0 ? `submit time ${arrival}` : `${processors} processors`;
      const expected = arrival < 0 ? 'one that is not negative' : `at most ${MAX_COUNT * scale}`;
      throw new TraceError('INVALID_VALUE', source.name, number, `${found} was found, expected ${expected}`);
    }
    collector.usesType('CPU', number);
    collector.usesType('Memory', number);
    collector.add(number, {
      type: 'BEST_EFFORT',
      arrival: Math.round(arrival * 1000),
      machines: collector.interner.machines(machines, { CPU: 100, Memory: memory }),
      duration: Math.round(duration * 1000),
      knownDuration: Math.round(Math.min(Math.max(field(RUN_TIME), 1), duration) * 1000),
      start: null,
      preemptible: true,
      image: null,
      user: field(USER) < 0 ? null : String(field(USER)),
    });
  }
  const left = skipped === 0 ? '' : ` that ran (${skipped} did not)`;
  return collector.finish({ name: basename(source.name) }, lastLine, `at least one job${left}`);
}

function readFields(file: string, line: number, text: string): number[] {
  const words = text.split(/\s+/);
  if (words.length < FIELDS) {
    throw new TraceError(
      'UNEXPECTED_CONTENT',
      file,
      line,
      `${words.length} fields were found ("${shorten(text)}"), expected the ${FIELDS} of a job in SWF`,
    );
  }
  return words.slice(0, FIELDS).map((word, place) => {
    const value = /^[+-]?[\d.]+(e[+-]?\d+)?$/i.test(word) ? Number(word) : Number.NaN;
    if (!(Math.abs(value) <= 1e12)) {
      throw new TraceError(
        'INVALID_VALUE',
        file,
        line,
        `"${shorten(word)}" was found as field ${place + 1}, expected a number (of at most 10^12)`,
      );
    }
    return value;
  });
}
