import type { Palette } from './palette.ts';
import { type BarKind, isMaintenance, kindOrder } from './schedule-columns.ts';
import { eachBarWithin, labelOf, leaseOf, type ScheduleModel } from './schedule-model.ts';
import { ticks } from './viewport.ts';

export type Context2D = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

/** The style of all bars. A change redraws all of them. */
export interface BarStyle {
  readonly model: ScheduleModel;
  readonly palette: Palette;
  /** Indexes of the highlighted leases; the bars of others are dimmed. */
  readonly highlighted: ReadonlySet<number> | null;
}

/** A rectangle of the schedule, in device pixels. */
export interface Part {
  readonly ratio: number;
  readonly msPerPixel: number;
  readonly rowHeight: number;
  /** The instant at its left edge. */
  readonly from: number;
  /** Distance of its upper edge from that of the first row. */
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export const minLabelledHeight = 12;
const minLabelledWidth = 34;
/** Width of a character in the font of the chart. */
const characterWidth = 6.6;

export function fontOf(ratio: number): string {
  return `${12 * ratio}px system-ui, sans-serif`;
}

interface Label {
  readonly bar: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Rectangles by index of kind: x, y, width, height, so that the fill style changes rarely. Reused, so that drawing
 * allocates little.
 */
const rectangles: readonly number[][] = kindOrder.map(() => []);
const dimmed: number[] = [];

/** Draws the grid and the bars of a part. The canvas must clip at its edges. */
export function drawPart(context: Context2D, part: Part, style: BarStyle): void {
  const { width, height, from, msPerPixel, rowHeight, ratio } = part;
  const { model, palette, highlighted } = style;
  const { bars } = model.columns;
  context.fillStyle = palette.background;
  context.fillRect(0, 0, width, height);
  drawGrid(context, part, style);
  for (const list of rectangles) list.length = 0;
  dimmed.length = 0;
  const labels: Label[] = [];
  const gap = rowHeight >= 10 * ratio ? ratio : 0;
  const first = Math.max(0, Math.floor(part.top / rowHeight));
  const last = Math.min(model.rows.length, Math.ceil((part.top + height) / rowHeight));
  for (let row = first; row < last; row += 1) {
    const top = row * rowHeight - part.top + gap;
    const full = rowHeight - 2 * gap;
    eachBarWithin(model, row, from, from + width * msPerPixel, (bar) => {
      const x = Math.round(((bars.start[bar] as number) - from) / msPerPixel);
      const barWidth = Math.max(Math.round(((bars.end[bar] as number) - from) / msPerPixel) - x - 1, 1);
      const lane = bars.lane[bar] as number;
      const laneHeight = full / (bars.lanes[bar] as number);
      const y = Math.round(top + lane * laneHeight);
      const barHeight = Math.max(Math.round(top + (lane + 1) * laneHeight) - y, 1);
      if (isDimmed(model, bar, highlighted)) {
        dimmed.push(x, y, barWidth, barHeight);
        return;
      }
      const kind = bars.kind[bar] as number;
      rectangles[kind]?.push(x, y, barWidth, barHeight);
      if (fitsLabel(kindOrder[kind], barWidth, barHeight, ratio))
        labels.push({ bar, x, y, width: barWidth, height: barHeight });
    });
  }
  context.globalAlpha = 0.35;
  fillAll(context, palette.muted, dimmed, width);
  context.globalAlpha = 1;
  for (const [index, kind] of kindOrder.entries()) {
    const list = rectangles[index] ?? [];
    if (list.length === 0) continue;
    fillAll(context, palette.kinds[kind], list, width);
    if (kind !== 'VM' && rowHeight >= 6 * ratio) drawMarks(context, kind, palette.barText, list, width, ratio);
  }
  if (labels.length === 0) return;
  context.font = fontOf(ratio);
  context.textBaseline = 'middle';
  for (const { bar, x, y, width: barWidth, height: barHeight } of labels)
    drawLabel(context, style, bar, x, y, barWidth, barHeight, ratio);
}

function drawGrid(context: Context2D, part: Part, { palette, model }: BarStyle): void {
  const { from, top, width, height, msPerPixel, rowHeight, ratio } = part;
  context.fillStyle = palette.line;
  for (const at of ticks(from, from + width * msPerPixel, width / ratio).at)
    context.fillRect(Math.round((at - from) / msPerPixel), 0, 1, height);
  if (rowHeight < 8 * ratio) return;
  // Below the last row there are no nodes.
  const last = Math.min(Math.ceil((top + height) / rowHeight), model.rows.length);
  for (let row = Math.floor(top / rowHeight); row <= last; row += 1)
    context.fillRect(0, Math.round(row * rowHeight - top), width, 1);
}

export function isDimmed(model: ScheduleModel, bar: number, highlighted: ReadonlySet<number> | null): boolean {
  return highlighted !== null && !highlighted.has(leaseOf(model, bar));
}

/** Whether a bar of this size holds its label. */
export function fitsLabel(kind: BarKind | undefined, width: number, height: number, ratio: number): boolean {
  return (
    (kind === 'VM' || kind === 'MAINTENANCE') && width > minLabelledWidth * ratio && height >= minLabelledHeight * ratio
  );
}

/** The font has to be set. */
export function drawLabel(
  context: Context2D,
  { model, palette }: BarStyle,
  bar: number,
  x: number,
  y: number,
  width: number,
  height: number,
  ratio: number,
): void {
  const text = fitText(labelOf(model, bar), width / ratio - 8);
  if (isMaintenance(model.columns, bar)) {
    // The hatching would make the text hard to read.
    context.fillStyle = palette.kinds.MAINTENANCE;
    const textWidth = context.measureText(text).width;
    context.fillRect(x + 2 * ratio, y + height / 2 - 7 * ratio, textWidth + 5 * ratio, 14 * ratio);
  }
  context.fillStyle = palette.barText;
  context.fillText(text, x + 4 * ratio, y + height / 2);
}

function fillAll(context: Context2D, style: string, list: readonly number[], right: number): void {
  context.fillStyle = style;
  for (let i = 0; i < list.length; i += 4) {
    // A bar may be much longer than the part.
    const x = Math.max(list[i] as number, -1);
    const end = Math.min((list[i] as number) + (list[i + 2] as number), right);
    context.fillRect(x, list[i + 1] as number, end - x, list[i + 3] as number);
  }
}

/** Hatching over a bar that shows its kind without colour; see the legend. */
function drawMarks(
  context: Context2D,
  kind: BarKind,
  style: string,
  list: readonly number[],
  partWidth: number,
  ratio: number,
): void {
  context.strokeStyle = style;
  context.lineWidth = ratio;
  context.beginPath();
  for (let i = 0; i < list.length; i += 4) {
    const x = list[i] as number;
    const y = list[i + 1] as number;
    const height = list[i + 3] as number;
    const right = Math.min(x + (list[i + 2] as number), partWidth + height);
    // Marks keep their distance from the start of the bar; those to the left of the part are skipped.
    const firstMark = (offset: number, step: number) => {
      const begin = x + offset;
      return begin >= -height ? begin : begin + Math.ceil((-height - begin) / step) * step;
    };
    if (kind === 'SHUTDOWN') {
      context.moveTo(Math.max(x, 0), y + height / 2);
      context.lineTo(right, y + height / 2);
    } else if (kind === 'MAINTENANCE') {
      for (let at = firstMark(4 * ratio, 8 * ratio); at < right; at += 8 * ratio) {
        context.moveTo(at, y);
        context.lineTo(at, y + height);
      }
    } else if (kind === 'IMAGE_TRANSFER') {
      for (let at = firstMark(2 * ratio, 4 * ratio); at < right; at += 4 * ratio) {
        context.moveTo(at, y + height / 2 - ratio);
        context.lineTo(at, y + height / 2 + ratio);
      }
    } else {
      const falling = kind === 'SUSPENSION' || kind === 'DISK_MIGRATION';
      const step = (kind === 'DISK_MIGRATION' || kind === 'MEMORY_MIGRATION' ? 4 : 8) * ratio;
      for (let at = firstMark(0, step); at < right; at += step) {
        const end = Math.min(at + height, right);
        context.moveTo(at, falling ? y : y + height);
        context.lineTo(end, falling ? y + (end - at) : y + height - (end - at));
      }
    }
  }
  context.stroke();
}

/** Cuts a text to approximately the available width; measuring each text would cost more than drawing it. */
function fitText(text: string, width: number): string {
  const characters = Math.floor(width / characterWidth);
  return text.length <= characters ? text : `${text.slice(0, Math.max(characters - 1, 0))}…`;
}

/** As fitText, but keeps the end, by which the hosts of a site differ. */
export function fitEnds(text: string, width: number): string {
  const characters = Math.floor(width / characterWidth);
  if (text.length <= characters) return text;
  const tail = Math.floor(characters / 2);
  return `${text.slice(0, characters - tail - 1)}…${text.slice(-tail)}`;
}
