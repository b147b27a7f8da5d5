/**
 * Which part of the schedule the chart shows. Times are whole milliseconds since the epoch, so that panning leaves the
 * scale exactly as it is; lengths are CSS pixels.
 */
export interface Viewport {
  readonly from: number;
  readonly to: number;
  /** Height of a node's row. */
  readonly rowHeight: number;
  /** How far the rows are scrolled down. */
  readonly scrollTop: number;
}

export interface ChartSize {
  readonly width: number;
  readonly height: number;
}

export const axisHeight = 34;
export const minRowHeight = 0.5;
export const maxRowHeight = 48;
const minSpan = 60_000;
const maxSpan = 366 * 86_400_000;

/** Six hours if it is not a number. */
export function clampSpan(ms: number): number {
  return Number.isFinite(ms) && ms > 0 ? Math.round(Math.min(Math.max(ms, minSpan), maxSpan)) : 21_600_000;
}

export function timeAt(viewport: Viewport, size: ChartSize, left: number, x: number): number {
  const { from, to } = viewport;
  return from + ((x - left) / (size.width - left)) * (to - from);
}

export function panTime(viewport: Viewport, ms: number): Viewport {
  const by = Math.round(ms);
  return { ...viewport, from: viewport.from + by, to: viewport.to + by };
}

/** A factor below 1 zooms in. The instant `around` stays in place. */
export function zoomTime(viewport: Viewport, factor: number, around: number): Viewport {
  const span = viewport.to - viewport.from;
  const next = clampSpan(span * factor);
  const share = (around - viewport.from) / span;
  const from = Math.round(around - share * next);
  return { ...viewport, from, to: from + next };
}

/** Keeps the row at `y` in place. */
export function zoomRows(viewport: Viewport, factor: number, y: number, rows: number, height: number): Viewport {
  const rowHeight = Math.min(Math.max(viewport.rowHeight * factor, minRowHeight), maxRowHeight);
  const row = (viewport.scrollTop + y - axisHeight) / viewport.rowHeight;
  return scrollRows({ ...viewport, rowHeight, scrollTop: row * rowHeight - (y - axisHeight) }, 0, rows, height);
}

export function scrollRows(viewport: Viewport, by: number, rows: number, height: number): Viewport {
  const bottom = Math.max(0, rows * viewport.rowHeight - (height - axisHeight));
  return { ...viewport, scrollTop: Math.min(Math.max(viewport.scrollTop + by, 0), bottom) };
}

/** Shows all rows, as high as possible. */
export function fitRows(viewport: Viewport, rows: number, height: number): Viewport {
  const rowHeight = Math.min(Math.max((height - axisHeight) / Math.max(rows, 1), minRowHeight), maxRowHeight);
  return { ...viewport, rowHeight, scrollTop: 0 };
}

const steps: readonly number[] = [
  1_000,
  5_000,
  15_000,
  30_000,
  60_000,
  300_000,
  900_000,
  1_800_000,
  3_600_000,
  3 * 3_600_000,
  6 * 3_600_000,
  12 * 3_600_000,
  86_400_000,
  7 * 86_400_000,
  30 * 86_400_000,
];

/** Instants of the axis, about 110 pixels apart. */
export function ticks(
  from: number,
  to: number,
  width: number,
): { readonly step: number; readonly at: readonly number[] } {
  const wanted = ((to - from) / Math.max(width, 1)) * 110;
  const step = steps.find((each) => each >= wanted) ?? (steps.at(-1) as number);
  const at: number[] = [];
  for (let tick = Math.ceil(from / step) * step; tick <= to; tick += step) at.push(tick);
  return { step, at };
}
