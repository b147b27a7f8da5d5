import { IANAZone } from 'luxon';
import type { Instant, Millis } from '../../core/index.ts';
import { dayLength } from './days.ts';

/** A local time in milliseconds, as if it were UTC. */
export type WallClock = number;

/** `2030-01-31T08:00` or with seconds; null for anything else. */
export function parseWallClock(text: string): WallClock | null {
  const [, minutes, seconds = '00'] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(?::(\d\d))?$/.exec(text) ?? [];
  const iso = `${minutes}:${seconds}.000Z`;
  const time = Date.parse(iso);
  return Number.isNaN(time) || new Date(time).toISOString() !== iso ? null : time;
}

export function formatWallClock(time: WallClock): string {
  return new Date(time).toISOString().slice(0, 19);
}

export function formatDay(day: number): string {
  return new Date(day * dayLength).toISOString().slice(0, 10);
}

export function parseDay(text: string): number {
  return Date.parse(`${text}T00:00:00Z`) / dayLength;
}

/** Null for an unknown time zone. */
export function zoneOf(name: string): IANAZone | null {
  return IANAZone.isValidZone(name) ? IANAZone.create(name) : null;
}

/**
 * The instant of a local time in a zone; the first of two if the time occurs twice. A skipped time is moved forward by
 * the length of the gap (C2). Assumes at most one offset change within two days.
 */
export function instantOf(zone: IANAZone, time: WallClock): Instant {
  const offsetAt = (instant: Instant): Millis => Math.round(zone.offset(instant) * 60_000);
  const before = offsetAt(time - dayLength);
  const after = offsetAt(time + dayLength);
  const candidates = [time - before, time - after].filter((instant) => time - offsetAt(instant) === instant);
  return candidates.length > 0 ? Math.min(...candidates) : time - before;
}

/** The local time in a zone. */
export function wallClockAt(zone: IANAZone, instant: Instant): WallClock {
  return instant + Math.round(zone.offset(instant) * 60_000);
}
