import { type Amounts, getOrCreate, type Millis } from '../../core/index.ts';

/** Maximum of machines in a lease and of nodes in a site: more would fill the memory. */
export const maxCount = 1_000_000;
/** Maximum of times in a trace. */
export const maxMillis: Millis = 1000 * 366 * 86_400_000;

/** A number that is not negative, or null. */
export function parseNumber(text: string): number | null {
  if (!/^\s*\d+(\.\d+)?([eE][+-]?\d+)?\s*$/.test(text)) return null;
  const value = Number(text);
  return value <= Number.MAX_SAFE_INTEGER ? value : null;
}

/** An amount of a resource: a whole number that is not negative, or null. */
export function parseAmount(text: string): number | null {
  const value = parseNumber(text);
  return Number.isInteger(value) ? value : null;
}

/** A whole number from 1 to {@link maxCount}, or null. */
export function parseCount(text: string): number | null {
  if (!/^\s*\d{1,7}\s*$/.test(text)) return null;
  const value = Number(text);
  return value >= 1 && value <= maxCount ? value : null;
}

/** Seconds (whole or with a fraction, not negative) as milliseconds, or null. */
export function parseSeconds(text: string): Millis | null {
  if (!/^\d+(\.\d+)?$/.test(text.trim())) return null;
  const millis = Math.round(Number(text) * 1000);
  return millis <= maxMillis ? millis : null;
}

export const durationForm = '[DD:]HH:MM[:SS[.ff]] (at most 366,000 days)';

/** `[DD:]HH:MM[:SS[.ff]]` as milliseconds, or null. A leading `+` is allowed. */
export function parseDuration(text: string): Millis | null {
  const match = /^\s*\+?(?:(\d+):)??(\d+):(\d+)(?::(\d+)(?:\.(\d+))?)?\s*$/.exec(text);
  if (match === null) return null;
  const [, days = '0', hours = '0', minutes = '0', seconds = '0', fraction = ''] = match;
  const whole = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
  const millis = whole * 1000 + Math.round(Number(`0.${fraction}0`) * 1000);
  return millis <= maxMillis ? millis : null;
}

/** As `HH:MM:SS.ff`, with thousandths where hundredths are not exact. */
export function formatDuration(millis: Millis): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const fraction = millis % 1000;
  const digits = fraction % 10 === 0 ? two(fraction / 10) : String(fraction).padStart(3, '0');
  return `${two(millis / 3_600_000)}:${two((millis / 60_000) % 60)}:${two((millis / 1000) % 60)}.${digits}`;
}

/** `2006-11-25 13:00:00` or ISO 8601; UTC without an offset. Null for any other text. */
export function parseInstant(text: string): number | null {
  const match =
    /^\s*(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3})\d*)?)?\s*(Z|[+-]\d\d:?\d\d)?)?\s*$/.exec(
      text,
    );
  if (match === null) return null;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', offset = 'Z'] = match;
  const zone = offset.length === 5 ? `${offset.slice(0, 3)}:${offset.slice(3)}` : offset;
  const date = `${year}-${month}-${day}`;
  // Date.parse takes 2006-02-30 for the 2nd of March.
  if (new Date(`${date}T00:00:00Z`).getUTCDate() !== Number(day)) return null;
  const instant = Date.parse(`${date}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0')}${zone}`);
  return Number.isNaN(instant) ? null : instant;
}

/**
 * Returns the same object for equal amounts, and the same list for equal lists of machines: a trace has many leases and
 * few kinds of machines.
 */
export class Interner {
  private readonly amounts = new Map<string, Amounts>();
  private readonly lists = new Map<Amounts, Map<number, readonly Amounts[]>>();

  machine(amounts: Amounts): Amounts {
    return getOrCreate(this.amounts, JSON.stringify(amounts), () => amounts);
  }

  machines(count: number, amounts: Amounts): readonly Amounts[] {
    const machine = this.machine(amounts);
    const byCount = getOrCreate(this.lists, machine, () => new Map<number, readonly Amounts[]>());
    return getOrCreate(byCount, count, () => new Array<Amounts>(count).fill(machine));
  }
}
