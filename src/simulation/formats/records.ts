import { TraceError } from '../errors.ts';
import { maxCount, parseAmount, parseCount, parseSeconds } from './values.ts';
import { shorten } from './xml.ts';

/** The fields of one line of a text format; its accessors throw TraceError. */
export class FieldReader {
  constructor(
    private readonly file: string,
    readonly line: number,
    private readonly fields: readonly string[],
  ) {}

  text(place: number): string {
    return this.fields[place] ?? '';
  }

  millis(place: number, name: string): number {
    return parseSeconds(this.text(place)) ?? this.fail(place, name, 'seconds that are not negative');
  }

  count(place: number, name: string): number {
    return parseCount(this.text(place)) ?? this.fail(place, name, `a whole number from 1 to ${maxCount}`);
  }

  amount(place: number, name: string): number {
    return parseAmount(this.text(place)) ?? this.fail(place, name, 'a whole number that is not negative');
  }

  fail(place: number, name: string, expected: string): never {
    const found = `"${shorten(this.text(place))}" was found as ${name} (field ${place + 1})`;
    throw new TraceError('INVALID_VALUE', this.file, this.line, `${found}, expected ${expected}`);
  }
}
