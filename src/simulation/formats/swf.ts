import { basename } from 'node:path';
import type { SiteSpec } from '../../core/index.ts';
import { TraceError } from '../errors.ts';
import { LeaseCollector, type ReadOptions, type ReadTrace } from './collector.ts';
import { buildSite, requiredTypes } from './site.ts';
import { type TextSource, textLines } from './source.ts';
import { maxCount } from './values.ts';
import { shorten } from './xml.ts';

const fieldCount = 18;
/** Places of the fields of a job, from 0. */
const submitTime = 1;
const runTime = 3;
const allocatedProcessors = 4;
const requestedProcessors = 7;
const requestedTime = 8;
const userId = 11;

const reasons = {
  run: 'with a negative run time',
  time: 'with neither a requested time nor a run time',
  size: 'with neither requested nor allocated processors',
} as const;

/**
 * Reads a job log in the Standard Workload Format. A job becomes a preemptible best-effort lease of CPU 100 on every
 * machine. Jobs that never ran, or have neither time nor size, are left out, with a warning. Throws TraceError.
 */
export function readSwf(source: TextSource, options: ReadOptions = {}): ReadTrace {
  const { scale = 1, memory = 1024 } = options.swf ?? {};
  const collector = new LeaseCollector(source.name, options);
  const header = new Map<string, number>();
  const leftOut: Record<keyof typeof reasons, number> = { run: 0, time: 0, size: 0 };
  let lastLine = 1;
  let jobs = 0;
  for (const { number, text } of textLines(source)) {
    lastLine = number;
    const trimmed = text.trim();
    if (trimmed === '') continue;
    if (trimmed.startsWith(';')) {
      const [, key, value] = /^;\s*(MaxNodes|MaxProcs):\s*(\d{1,9})\b/i.exec(trimmed) ?? [];
      if (key !== undefined && !header.has(key.toLowerCase())) header.set(key.toLowerCase(), Number(value));
      continue;
    }
    jobs += 1;
    const job = readFields(source.name, number, trimmed);
    const field = (place: number) => job[place] as number;
    const duration = field(requestedTime) > 0 ? field(requestedTime) : field(runTime);
    const requested = field(requestedProcessors);
    const processors = requested > 0 ? requested : field(allocatedProcessors);
    if (field(runTime) < 0) leftOut.run += 1;
    else if (duration <= 0) leftOut.time += 1;
    else if (processors <= 0) leftOut.size += 1;
    if (field(runTime) < 0 || duration <= 0 || processors <= 0) continue;
    const machines = Math.ceil(processors / scale);
    const arrival = field(submitTime);
    if (arrival < 0 || machines > maxCount) {
      const found = arrival < 0 ? `submit time ${arrival}` : `${processors} processors`;
      const expected = arrival < 0 ? 'one that is not negative' : `at most ${maxCount * scale}`;
      throw new TraceError('INVALID_VALUE', source.name, number, `${found} was found, expected ${expected}`);
    }
    collector.usesType('CPU', number);
    collector.usesType('Memory', number);
    collector.add(number, {
      type: 'BEST_EFFORT',
      arrival: Math.round(arrival * 1000),
      machines: collector.interner.machines(machines, { CPU: 100, Memory: memory }),
      duration: Math.round(duration * 1000),
      knownDuration: Math.round(Math.min(Math.max(field(runTime), 1), duration) * 1000),
      start: null,
      preemptible: true,
      image: null,
      user: field(userId) < 0 ? null : String(field(userId)),
    });
  }
  const why = (Object.keys(reasons) as (keyof typeof reasons)[])
    .filter((reason) => leftOut[reason] > 0)
    .map((reason) => `${leftOut[reason]} ${reasons[reason]}`)
    .join(', ');
  const skipped = leftOut.run + leftOut.time + leftOut.size;
  if (skipped > 0) collector.warnings.push(`${source.name}: ${skipped} of ${jobs} jobs were left out: ${why}`);
  const parts = { name: basename(source.name), site: siteOf(header, scale, memory) };
  return collector.finish(parts, lastLine, `at least one job that ran${why === '' ? '' : ` (found ${why})`}`);
}

/** The site that the header describes: one node per machine of a lease that uses the whole site. */
function siteOf(header: ReadonlyMap<string, number>, scale: number, memory: number): SiteSpec | null {
  const processors = header.get('maxprocs') ?? 0;
  const count = processors > 0 ? Math.ceil(processors / scale) : (header.get('maxnodes') ?? 0);
  if (count <= 0 || count > maxCount) return null;
  return buildSite(requiredTypes, [{ count, capacity: { CPU: 100, Memory: memory } }]);
}

function readFields(file: string, line: number, text: string): number[] {
  const words = text.split(/\s+/);
  if (words.length < fieldCount) {
    throw new TraceError(
      'UNEXPECTED_CONTENT',
      file,
      line,
      `${words.length} fields were found ("${shorten(text)}"), expected the ${fieldCount} of a job in SWF`,
    );
  }
  return words.slice(0, fieldCount).map((word, place) => {
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
