import type { NodeState } from '../api/generated/operations.ts';
import {
  type BarStyle,
  type Context2D,
  drawLabel,
  fitEnds,
  fitsLabel,
  fontOf,
  isDimmed,
  minLabelledHeight,
} from './draw-bars.ts';
import { type Geometry, geometryOf, visibleRows, xOf, yOf } from './geometry.ts';
import type { Palette } from './palette.ts';
import { kindOrder } from './schedule-columns.ts';
import { type Bar, barOf, eachBarWithin } from './schedule-model.ts';
import { Tiles } from './tiles.ts';
import { axisHeight, type ChartSize, ticks, timeAt, type Viewport } from './viewport.ts';

export interface ChartContent extends BarStyle {
  readonly formatTick: (at: number, step: number) => string;
}

/** Told apart without colour. */
const stateMarks: Readonly<Partial<Record<NodeState, string>>> = { DRAINING: '◐', DOWN: '✕' };

/**
 * Draws the schedule on a canvas, at most once per frame and without React. A frame of a pan moves tiles of bars and
 * draws the axis, the host names and newly visible tiles.
 */
export class ChartView {
  private size: ChartSize = { width: 0, height: 0 };
  private ratio = 1;
  private content: ChartContent | null = null;
  private style: BarStyle | null = null;
  private active: Bar | null = null;
  private scheduled = 0;
  private readonly context: CanvasRenderingContext2D | null;
  private readonly tiles = new Tiles();
  private readonly names = new NameColumn();
  private readonly tickLabels = new Map<number, string>();
  private tickStep = 0;

  /** `onViewport` is called whenever the part that is shown has changed. */
  constructor(
    private readonly canvas: HTMLCanvasElement,
    private shown: Viewport,
    private readonly now: () => number,
    private readonly onViewport: (viewport: Viewport) => void,
  ) {
    this.context = canvas.getContext('2d', { alpha: false });
  }

  get viewport(): Viewport {
    return this.shown;
  }

  get area(): ChartSize {
    return this.size;
  }

  /** Width of the column with host names, in CSS pixels. */
  get left(): number {
    return this.size.width < 600 ? 84 : 144;
  }

  change(change: (viewport: Viewport) => Viewport): void {
    const next = change(this.shown);
    if (next === this.shown) return;
    this.shown = next;
    this.redraw();
    this.onViewport(next);
  }

  resize(size: ChartSize, ratio: number): void {
    this.size = size;
    this.ratio = ratio;
    this.canvas.width = Math.round(size.width * ratio);
    this.canvas.height = Math.round(size.height * ratio);
    // Resizing clears a canvas. It is resized in the frame that draws, to avoid flicker.
    this.draw();
  }

  show(content: ChartContent): void {
    const { content: before } = this;
    if (before?.formatTick !== content.formatTick) this.tickLabels.clear();
    const isSame =
      before?.model === content.model &&
      before.palette === content.palette &&
      before.highlighted === content.highlighted;
    if (!isSame) {
      const { model, palette, highlighted } = content;
      this.style = { model, palette, highlighted };
    }
    this.content = content;
    this.redraw();
  }

  /** The bar under the pointer, or the selected one. */
  setActive(bar: Bar | null): void {
    if (bar === this.active) return;
    this.active = bar;
    this.redraw();
  }

  /** The bar at a point in CSS pixels. */
  barAt(x: number, y: number): Bar | null {
    const { shown, size, left, content } = this;
    if (content === null || x < left || y < axisHeight) return null;
    const position = (y - axisHeight + shown.scrollTop) / shown.rowHeight;
    const row = Math.floor(position);
    const at = timeAt(shown, size, left, x);
    const tolerance = ((shown.to - shown.from) / size.width) * 2;
    let nearest = -1;
    let exact = -1;
    const { lane, lanes } = content.model.columns.bars;
    eachBarWithin(content.model, row, at - tolerance, at + tolerance, (bar) => {
      if (nearest < 0) nearest = bar;
      if (exact < 0 && Math.floor((position - row) * (lanes[bar] ?? 1)) === lane[bar]) exact = bar;
    });
    const found = exact < 0 ? nearest : exact;
    return found < 0 ? null : barOf(content.model, row, found);
  }

  redraw(): void {
    if (this.scheduled !== 0) return;
    this.scheduled = requestAnimationFrame(() => {
      this.scheduled = 0;
      this.draw();
    });
  }

  dispose(): void {
    cancelAnimationFrame(this.scheduled);
    this.tiles.dispose();
  }

  private draw(): void {
    const { context, content, style, size } = this;
    if (context === null || content === null || style === null || size.width === 0) return;
    const geometry = geometryOf(this.shown, size, this.left, this.ratio);
    const hasMore = this.tiles.draw(context, geometry, style);
    context.font = fontOf(this.ratio);
    context.textBaseline = 'middle';
    drawLabelsAtEdge(context, geometry, style);
    this.drawActive(context, geometry, style);
    this.drawAxis(context, geometry, content);
    this.drawNow(context, geometry, style.palette);
    this.names.draw(context, geometry, style);
    if (hasMore) this.redraw();
  }

  private drawActive(context: Context2D, geometry: Geometry, { model, palette }: BarStyle): void {
    const { active } = this;
    if (active === null || !model.rows[active.row]) return;
    const { ratio, rowHeight, width } = geometry;
    const x = Math.max(xOf(geometry, active.start), geometry.left - 4);
    const right = Math.min(xOf(geometry, active.end), width + 4);
    const height = rowHeight / active.lanes;
    const y = yOf(geometry, active.row) + active.lane * height;
    if (right < geometry.left || x > width) return;
    context.strokeStyle = palette.focus;
    context.lineWidth = 3 * ratio;
    context.strokeRect(x + 1, y + 1, Math.max(right - x - 2, 2), Math.max(height - 2, 2));
  }

  private drawNow(context: Context2D, geometry: Geometry, palette: Palette): void {
    const { left, width, height, top, ratio } = geometry;
    const x = Math.round(xOf(geometry, this.now()));
    if (x < left || x > width) return;
    context.fillStyle = palette.now;
    context.fillRect(x - ratio, top - 6 * ratio, 2 * ratio, height);
  }

  private drawAxis(context: Context2D, geometry: Geometry, { palette, formatTick }: ChartContent): void {
    const { from, to, left, width, top, ratio } = geometry;
    context.fillStyle = palette.background;
    context.fillRect(0, 0, width, top);
    context.fillStyle = palette.line;
    context.fillRect(0, top, width, 1);
    context.fillStyle = palette.muted;
    const { step, at } = ticks(from, to, (width - left) / ratio);
    if (step !== this.tickStep || this.tickLabels.size > 500) {
      this.tickStep = step;
      this.tickLabels.clear();
    }
    for (const tick of at) {
      const x = Math.round(xOf(geometry, tick));
      if (x < left) continue;
      let label = this.tickLabels.get(tick);
      if (label === undefined) {
        label = formatTick(tick, step);
        this.tickLabels.set(tick, label);
      }
      context.fillText(label, x + 4 * ratio, top / 2);
    }
  }
}

/** The label of a bar that begins before the visible part is at the edge. */
function drawLabelsAtEdge(context: Context2D, geometry: Geometry, style: BarStyle): void {
  const { ratio, rowHeight, left, from, width } = geometry;
  if (rowHeight < minLabelledHeight * ratio) return;
  const { model, palette, highlighted } = style;
  const { bars } = model.columns;
  const gap = ratio;
  const { first, last } = visibleRows(geometry, model.rows.length);
  for (let row = first; row < last; row += 1) {
    const top = yOf(geometry, row) + gap;
    const full = rowHeight - 2 * gap;
    eachBarWithin(model, row, from, from + 1, (bar) => {
      const start = bars.start[bar] as number;
      const lanes = bars.lanes[bar] as number;
      const kind = kindOrder[bars.kind[bar] as number];
      const height = full / lanes;
      const end = xOf(geometry, bars.end[bar] as number);
      const right = Math.min(Math.round(end) - 1, width);
      const isLabelled = fitsLabel(kind, end - xOf(geometry, start), height, ratio);
      if (start >= from || !kind || !isLabelled || isDimmed(model, bar, highlighted)) return;
      const y = Math.round(top + (bars.lane[bar] as number) * height);
      // Covers the rest of the label at the start of the bar.
      context.fillStyle = palette.kinds[kind];
      context.fillRect(left, y, right - left, Math.round(height));
      if (fitsLabel(kind, right - left, height, ratio))
        drawLabel(context, style, bar, left, y, right - left, Math.round(height), ratio);
    });
  }
}

/** The row names: an image that is redrawn when the rows move. */
class NameColumn {
  private surface: OffscreenCanvas | null = null;
  private drawn: { readonly style: BarStyle; readonly geometry: Geometry } | null = null;

  draw(target: Context2D, geometry: Geometry, style: BarStyle): void {
    const { left, height, top } = geometry;
    if (left <= 0 || height <= top) return;
    const { drawn } = this;
    const isCurrent =
      drawn !== null &&
      drawn.style === style &&
      drawn.geometry.left === left &&
      drawn.geometry.height === height &&
      drawn.geometry.rowHeight === geometry.rowHeight &&
      drawn.geometry.scrollTop === geometry.scrollTop;
    if (!isCurrent) {
      this.drawSurface(geometry, style);
      this.drawn = { style, geometry };
    }
    if (this.surface) target.drawImage(this.surface, 0, top);
  }

  private drawSurface(geometry: Geometry, { model, palette }: BarStyle): void {
    const { left, height, top, ratio, rowHeight } = geometry;
    if (this.surface?.width !== left || this.surface.height !== height - top)
      this.surface = new OffscreenCanvas(left, height - top);
    const context = this.surface.getContext('2d', { alpha: false });
    if (context === null) return;
    context.fillStyle = palette.background;
    context.fillRect(0, 0, left, height);
    context.font = fontOf(ratio);
    context.textBaseline = 'middle';
    // If rows are lower than a line of text, only some are labelled.
    const every = Math.max(1, Math.ceil((14 * ratio) / rowHeight));
    const { first, last } = visibleRows(geometry, model.rows.length);
    for (let index = first - (first % every); index < last; index += every) {
      const row = model.rows[index];
      if (row === undefined) continue;
      const isUp = row.state === 'UP';
      const text = isUp ? row.label : `${stateMarks[row.state] ?? ''} ${row.label}`;
      context.fillStyle = isUp ? palette.text : palette.unavailable;
      // A label is centred on its row, or on the rows that it represents.
      const y = yOf(geometry, index) - top + (rowHeight * every) / 2;
      context.fillText(fitEnds(text, left / ratio - 18), 6 * ratio, y);
    }
    context.fillStyle = palette.line;
    context.fillRect(left - 1, 0, 1, height);
  }
}
