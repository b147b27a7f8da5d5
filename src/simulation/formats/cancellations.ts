import { TraceError } from '../errors.ts';
import type { Cancellation } from '../workload.ts';
import { FieldReader } from './records.ts';
import { type TextSource, textLines } from './source.ts';
import { shorten } from './xml.ts';

/** Reads cancellations: lines `TIME LEASE`, in seconds; `#` starts a comment. Sorted by time. Throws TraceError. */
export function readCancellations(source: TextSource): Cancellation[] {
  const cancellations: Cancellation[] = [];
  for (const { number, text } of textLines(source)) {
    const trimmed = text.replace(/#.*/, '').trim();
    if (trimmed === '') continue;
    const words = trimmed.split(/\s+/);
    if (words.length !== 2) {
      throw new TraceError(
        'UNEXPECTED_CONTENT',
        source.name,
        number,
        `"${shorten(trimmed)}" was found, expected a line "TIME LEASE"`,
      );
    }
    const fields = new FieldReader(source.name, number, words);
    const leaseId = Number(
      /^\d{1,15}$/.test(words[1] as string) ? words[1] : fields.fail(1, 'lease', "a lease's number"),
    );
    cancellations.push({ at: fields.millis(0, 'time'), leaseId });
  }
  return cancellations.sort((a, b) => a.at - b.at);
}
