import type { Seconds } from '../result.ts';

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
const STEPS: readonly Seconds[] = [
  1,
  2,
  5,
  10,
  15,
  30,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  5 * DAY,
  10 * DAY,
  20 * DAY,
  50 * DAY,
  100 * DAY,
  200 * DAY,
  365 * DAY,
];

export interface Tick {
  readonly at: Seconds;
  readonly label: string;
}

/** Round times from `start` to `end`, at most `most` of them. */
export function ticks(start: Seconds, end: Seconds, most: number): Tick[] {
  const span = Math.max(end - start, 1);
  const longest = STEPS.at(-1) as number;
  const step = STEPS.find((each) => span / each <= most) ?? longest * Math.ceil(span / longest / most);
  const list: Tick[] = [];
  for (let at = Math.ceil(start / step) * step; at <= end; at += step)
    list.push({ at, label: label(at, step) });
  return list;
}

function label(at: Seconds, step: Seconds): string {
  const days = Math.floor(at / DAY);
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  if (step >= DAY) return `${days} d`;
  const seconds = step < MINUTE ? `:${two(at % MINUTE)}` : '';
  const time = `${two((at % DAY) / HOUR)}:${two((at % HOUR) / MINUTE)}${seconds}`;
  return days === 0 ? time : `${days} d ${time}`;
}
