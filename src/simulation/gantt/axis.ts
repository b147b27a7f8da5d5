import type { Seconds } from '../result.ts';

const minute = 60;
const hour = 3600;
const day = 86_400;
const steps: readonly Seconds[] = [
  1,
  2,
  5,
  10,
  15,
  30,
  minute,
  2 * minute,
  5 * minute,
  10 * minute,
  15 * minute,
  30 * minute,
  hour,
  2 * hour,
  3 * hour,
  6 * hour,
  12 * hour,
  day,
  2 * day,
  5 * day,
  10 * day,
  20 * day,
  50 * day,
  100 * day,
  200 * day,
  365 * day,
];

export interface Tick {
  readonly at: Seconds;
  readonly label: string;
}

/** At most `max` round times from `start` to `end`. */
export function ticks(start: Seconds, end: Seconds, max: number): Tick[] {
  const span = Math.max(end - start, 1);
  const maxStep = steps.at(-1) as number;
  const step = steps.find((each) => span / each <= max) ?? maxStep * Math.ceil(span / maxStep / max);
  const list: Tick[] = [];
  for (let at = Math.ceil(start / step) * step; at <= end; at += step) list.push({ at, label: label(at, step) });
  return list;
}

function label(at: Seconds, step: Seconds): string {
  const days = Math.floor(at / day);
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  if (step >= day) return `${days} d`;
  const seconds = step < minute ? `:${two(at % minute)}` : '';
  const time = `${two((at % day) / hour)}:${two((at % hour) / minute)}${seconds}`;
  return days === 0 ? time : `${days} d ${time}`;
}
