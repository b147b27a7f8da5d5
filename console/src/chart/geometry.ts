import { axisHeight, type ChartSize, type Viewport } from './viewport.ts';

/** The geometry of the chart, in device pixels of its canvas: bars on whole pixels are drawn fastest and sharpest. */
export interface Geometry {
  /** Device pixels per CSS pixel. */
  readonly ratio: number;
  readonly width: number;
  readonly height: number;
  /** Width of the column with host names. */
  readonly left: number;
  /** Height of the time axis. */
  readonly top: number;
  readonly from: number;
  readonly to: number;
  readonly msPerPixel: number;
  readonly rowHeight: number;
  /** A whole number. */
  readonly scrollTop: number;
}

export function geometryOf(viewport: Viewport, size: ChartSize, left: number, ratio: number): Geometry {
  const width = Math.round(size.width * ratio);
  const edge = Math.round(left * ratio);
  return {
    ratio,
    width,
    height: Math.round(size.height * ratio),
    left: edge,
    top: Math.round(axisHeight * ratio),
    from: viewport.from,
    to: viewport.to,
    msPerPixel: (viewport.to - viewport.from) / Math.max(width - edge, 1),
    rowHeight: viewport.rowHeight * ratio,
    scrollTop: Math.round(viewport.scrollTop * ratio),
  };
}

export function xOf({ left, from, msPerPixel }: Geometry, at: number): number {
  return left + (at - from) / msPerPixel;
}

export function yOf({ top, rowHeight, scrollTop }: Geometry, row: number): number {
  return top + row * rowHeight - scrollTop;
}

/** The rows in view: from `first` to before `last`. */
export function visibleRows(
  { top, height, rowHeight, scrollTop }: Geometry,
  rows: number,
): { readonly first: number; readonly last: number } {
  const first = Math.floor(scrollTop / rowHeight);
  const last = Math.ceil((scrollTop + height - top) / rowHeight);
  return { first: Math.max(0, first), last: Math.min(rows, last) };
}
