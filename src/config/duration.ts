import type { Millis } from '../core/index.ts';
import { libraries } from './libraries.ts';

/** How every part of the project that people type durations into describes them. */
export const durationForm = 'seconds, 1h30m, 2d, 1w, or ISO 8601 such as PT1H30M';

const short = /^(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?$/;

/**
 * A duration of fixed length in milliseconds: seconds (`90`, `2.5`), a short form (`90m`, `1h30m`, `1w`), or ISO 8601
 * (`PT1H30M`). Null for anything else, for years and months, and for what exceeds 2^53 ms.
 */
export function parseDuration(value: number | string): Millis | null {
  const millis = typeof value === 'number' ? value * 1000 : textToMillis(value.trim());
  if (!Number.isFinite(millis)) return null;
  const whole = Math.round(millis);
  return whole >= 0 && Number.isSafeInteger(whole) ? whole : null;
}

function textToMillis(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const { Duration } = libraries.luxon;
  const parts = text === '' ? null : short.exec(text);
  if (parts !== null) {
    const [weeks, days, hours, minutes, seconds] = parts.slice(1).map((part) => Number(part ?? 0));
    return Duration.fromObject({ weeks, days, hours, minutes, seconds }).toMillis();
  }
  // Luxon takes "P" and "PT" for a duration of no length.
  if (!/^P.*\d[A-Z]$/i.test(text) || text.includes('-')) return Number.NaN;
  const duration = Duration.fromISO(text.toUpperCase());
  if (!duration.isValid || duration.years !== 0 || duration.months !== 0) return Number.NaN;
  return duration.toMillis();
}
