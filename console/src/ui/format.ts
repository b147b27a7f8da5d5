/** Instants and durations as people read them. */

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** `2 d 3 h`, `1 h 30 min`, `45 s`: the two largest units. */
export function formatMillis(ms: number, maxUnits = 2): string {
  const units: readonly (readonly [string, number])[] = [
    ['d', day],
    ['h', hour],
    ['min', minute],
    ['s', second],
  ];
  let rest = Math.max(0, Math.round(ms / second) * second);
  const parts: string[] = [];
  for (const [name, size] of units) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${name}`);
    if (parts.length === maxUnits || (maxUnits === 2 && parts.length === 1 && count === 0)) break;
  }
  return parts.length === 0 ? '0 s' : parts.join(' ');
}

const isoDuration = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

/** Milliseconds of an ISO 8601 duration of fixed length, as the server prints them. NaN for anything else. */
export function parseDuration(text: string): number {
  const match = isoDuration.exec(text);
  if (match === null) return Number.NaN;
  const [, weeks, days, hours, minutes, seconds] = match.map((part) => Number(part ?? 0));
  return (
    (weeks ?? 0) * 7 * day + (days ?? 0) * day + (hours ?? 0) * hour + (minutes ?? 0) * minute + (seconds ?? 0) * second
  );
}

export function formatDuration(iso: string): string {
  const ms = parseDuration(iso);
  return Number.isNaN(ms) ? iso : formatMillis(ms);
}

/** All units, as `toIsoDuration` reads them: `1 d 2 h 5 min`. */
export function exactDuration(iso: string): string {
  const ms = parseDuration(iso);
  return ms > 0 && ms % second === 0 ? formatMillis(ms, 4) : iso;
}

/** `PT1H30M` of `1h 30m`, `90 min`, `2 d`; null when it is not a duration. */
export function toIsoDuration(text: string): string | null {
  const trimmed = text.trim();
  if (isoDuration.test(trimmed) && trimmed !== 'P') return trimmed;
  const pattern = /^(?:\d+\s*(?:d|h|min|m|s)\s*)+$/i;
  if (!pattern.test(trimmed)) return null;
  let total = 0;
  for (const [, count, unit] of trimmed.matchAll(/(\d+)\s*(d|h|min|m|s)/gi)) {
    const size = { d: day, h: hour, min: minute, m: minute, s: second }[(unit ?? '').toLowerCase()] ?? 0;
    total += Number(count) * size;
  }
  if (total === 0) return null;
  const hours = Math.floor(total / hour);
  const minutes = Math.floor((total % hour) / minute);
  const seconds = (total % minute) / second;
  return `PT${hours ? `${hours}H` : ''}${minutes ? `${minutes}M` : ''}${seconds ? `${seconds}S` : ''}`;
}

/** By time zone: creating a formatter takes longer than formatting a whole table. */
const instantFormats = new Map<string, Intl.DateTimeFormat>();

export function formatInstant(instant: string | number, timeZone: string, withSeconds = true): string {
  const key = `${timeZone} ${withSeconds}`;
  let format = instantFormats.get(key);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone,
      year: 'numeric',
      month: 'short',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      ...(withSeconds ? { second: '2-digit' as const } : {}),
    });
    instantFormats.set(key, format);
  }
  return format.format(new Date(instant));
}

/** `in 3 min`, `2 h ago`. */
export function formatRelative(instant: string | number, now: number): string {
  const difference = new Date(instant).getTime() - now;
  if (Math.abs(difference) < second) return 'now';
  const text = formatMillis(Math.abs(difference)).split(' ').slice(0, 2).join(' ');
  return difference > 0 ? `in ${text}` : `${text} ago`;
}

/** Replaces ISO 8601 instants in a text by local times that name their zone. */
export function withInstants(text: string, timeZone: string): string {
  return text.replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (instant) =>
    Number.isNaN(Date.parse(instant)) ? instant : `${formatInstant(instant, timeZone)} (${timeZone})`,
  );
}

/** Adds a capital letter and a full stop to a reason of the server. */
export function asSentence(text: string): string {
  const capitalized = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capitalized) ? capitalized : `${capitalized}.`;
}

/** `SUSPENDED_QUEUED` as `Suspended queued`. */
export function formatEnum(value: string): string {
  const words = value.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
