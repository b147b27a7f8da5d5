import { IANAZone } from 'luxon';
import type { Instant, Millis } from '../../core/index.ts';
import { dayLength } from './days.ts';

/** A time on a wall clock, as if it were UTC: milliseconds. */
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

/** Null for a name that the time zone database does not have. */
export function zoneOf(name: string): IANAZone | null {
  return IANAZone.isValidZone(name) ? IANAZone.create(name) : null;
}

/**
 * The instant at which the wall clock of a zone shows a time: the first of two. A time that a clock skips is moved
 * forward by as much as it skips (C2). Zones change their offset at most once within two days.
 */
export function instantOf(zone: IANAZone, time: WallClock): Instant {
  const offsetAt = (instant: Instant): Millis => Math.round(zone.offset(instant) * 60_000);
  const before = offsetAt(time - dayLength);
  const after = offsetAt(time + dayLength);
  const candidates = [time - before, time - after].filter((instant) => time - offsetAt(instant) === instant);
  return candidates.length > 0 ? Math.min(...candidates) : time - before;
}

/** What the wall clock of a zone shows. */
export function wallClockAt(zone: IANAZone, instant: Instant): WallClock {
  return instant + Math.round(zone.offset(instant) * 60_000);
}
