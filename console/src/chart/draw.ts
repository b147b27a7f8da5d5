import type { NodeState } from '../api/generated/operations.ts';
import type { Bar, BarKind, ScheduleModel } from './schedule-model.ts';
import { barsWithin } from './schedule-model.ts';
import { axisHeight, type ChartSize, ticks, type Viewport } from './viewport.ts';

/** Colours of the chart, read from the page's style sheet, so that they follow the theme. */
export interface Palette {
  readonly background: string;
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly now: string;
  readonly focus: string;
  readonly unavailable: string;
  readonly kinds: Readonly<Record<BarKind, string>>;
  readonly barText: string;
}

export interface Scene {
  readonly model: ScheduleModel;
  readonly viewport: Viewport;
  readonly size: ChartSize;
  /** Width of the column with host names. */
  readonly left: number;
  readonly now: number;
  readonly palette: Palette;
  readonly active: Bar | null;
  /** The lease whose bars stand out; the others are dimmed. */
  readonly highlighted: ReadonlySet<number> | null;
  readonly formatTick: (at: number, step: number) => string;
}

const kindOrder: readonly BarKind[] = [
  'VM',
  'SHUTDOWN',
  'SUSPENSION',
  'RESUMPTION',
  'MEMORY_MIGRATION',
  'DISK_MIGRATION',
  'IMAGE_TRANSFER',
  'MAINTENANCE',
  'UNKNOWN',
];

/**
 * Custom properties hold expressions such as light-dark(…); an element's computed colour is what a canvas understands.
 */
export function readPalette(element: Element): Palette {
  const probe = document.createElement('span');
  probe.hidden = true;
  element.append(probe);
  const color = (name: string) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const palette: Palette = {
    background: color('--surface'),
    text: color('--text'),
    muted: color('--text-muted'),
    line: color('--line'),
    now: color('--now'),
    focus: color('--focus'),
    unavailable: color('--unavailable'),
    barText: color('--bar-text'),
    kinds: Object.fromEntries(
      kindOrder.map((kind) => [kind, color(`--kind-${kind.toLowerCase().replaceAll('_', '-')}`)]),
    ) as Record<BarKind, string>,
  };
  probe.remove();
  return palette;
}

export function draw(context: CanvasRenderingContext2D, scene: Scene): void {
  const { size, palette } = scene;
  context.fillStyle = palette.background;
  context.fillRect(0, 0, size.width, size.height);
  context.font = '12px system-ui, sans-serif';
  context.textBaseline = 'middle';
  drawGrid(context, scene);
  drawBars(context, scene);
  drawNow(context, scene);
  drawHostnames(context, scene);
  drawAxis(context, scene);
}

function xOf({ viewport: { from, to }, size, left }: Scene, at: number): number {
  return left + ((at - from) / (to - from)) * (size.width - left);
}

function visibleRows({ model, viewport, size }: Scene): { readonly first: number; readonly last: number } {
  const first = Math.floor(viewport.scrollTop / viewport.rowHeight);
  const last = Math.ceil((viewport.scrollTop + size.height - axisHeight) / viewport.rowHeight);
  return { first: Math.max(0, first), last: Math.min(model.rows.length, last) };
}

function yOf({ viewport }: Scene, row: number): number {
  return axisHeight + row * viewport.rowHeight - viewport.scrollTop;
}

function drawGrid(context: CanvasRenderingContext2D, scene: Scene): void {
  const { viewport, size, left, palette } = scene;
  context.strokeStyle = palette.line;
  context.lineWidth = 1;
  context.beginPath();
  for (const at of ticks(viewport.from, viewport.to, size.width - left).at) {
    const x = Math.round(xOf(scene, at)) + 0.5;
    context.moveTo(x, axisHeight);
    context.lineTo(x, size.height);
  }
  if (viewport.rowHeight >= 8) {
    const { first, last } = visibleRows(scene);
    for (let row = first; row <= last; row += 1) {
      const y = Math.round(yOf(scene, row)) + 0.5;
      context.moveTo(left, y);
      context.lineTo(size.width, y);
    }
  }
  context.stroke();
}

/** By kind, so that the fill style changes seldom. */
function drawBars(context: CanvasRenderingContext2D, scene: Scene): void {
  const { model, viewport, size, left, palette, highlighted } = scene;
  context.save();
  context.beginPath();
  context.rect(left, axisHeight, size.width - left, size.height - axisHeight);
  context.clip();
  const { first, last } = visibleRows(scene);
  const labelled: { bar: Bar; x: number; y: number; width: number; height: number }[] = [];
  const byKind = new Map<BarKind, number[]>();
  const dimmed: number[] = [];
  const gap = viewport.rowHeight >= 10 ? 1 : 0;
  for (let index = first; index < last; index += 1) {
    const row = model.rows[index];
    if (!row) continue;
    const top = yOf(scene, index) + gap;
    const full = viewport.rowHeight - 2 * gap;
    for (const bar of barsWithin(row, viewport.from, viewport.to)) {
      const x = Math.max(xOf(scene, bar.start), left - 2);
      const width = Math.max(Math.min(xOf(scene, bar.end), size.width + 2) - x - 0.5, 1);
      const height = Math.max(full / bar.lanes, 1);
      const y = top + bar.lane * height;
      const { kind, reservation } = bar;
      const isDimmed = highlighted !== null && !(reservation && highlighted.has(reservation.leaseNumber));
      if (isDimmed) dimmed.push(x, y, width, height);
      else {
        const list = byKind.get(kind);
        if (list) list.push(x, y, width, height);
        else byKind.set(kind, [x, y, width, height]);
        if (isLabelled(bar) && width > 34 && height >= 12) labelled.push({ bar, x, y, width, height });
      }
      if (bar === scene.active) labelled.push({ bar, x, y, width, height });
    }
  }
  context.globalAlpha = 0.35;
  fillAll(context, palette.muted, dimmed);
  context.globalAlpha = 1;
  for (const kind of kindOrder) {
    const rectangles = byKind.get(kind);
    if (!rectangles) continue;
    fillAll(context, palette.kinds[kind], rectangles);
    if (kind !== 'VM' && viewport.rowHeight >= 6) drawMarks(context, kind, palette.barText, rectangles);
  }
  context.fillStyle = palette.barText;
  for (const { bar, x, y, width, height } of labelled) {
    if (bar === scene.active) {
      context.strokeStyle = palette.focus;
      context.lineWidth = 3;
      context.strokeRect(x + 1, y + 1, Math.max(width - 2, 2), Math.max(height - 2, 2));
    }
    if (width <= 34 || height < 12 || !isLabelled(bar)) continue;
    const text = fitText(labelOf(bar), width - 8);
    if (bar.kind === 'MAINTENANCE') {
      // The hatching would make the text hard to read.
      context.fillStyle = palette.kinds.MAINTENANCE;
      context.fillRect(x + 2, y + height / 2 - 7, context.measureText(text).width + 5, 14);
      context.fillStyle = palette.barText;
    }
    context.fillText(text, x + 4, y + height / 2);
  }
  context.restore();
}

function isLabelled({ kind }: Bar): boolean {
  return kind === 'VM' || kind === 'MAINTENANCE';
}

function labelOf({ reservation, reason }: Bar): string {
  if (reservation === null) return reason ?? 'Maintenance';
  const { leaseNumber, leaseName } = reservation;
  return leaseName ? `${leaseNumber} ${leaseName}` : String(leaseNumber);
}

function fillAll(context: CanvasRenderingContext2D, style: string, rectangles: readonly number[]): void {
  context.fillStyle = style;
  for (let i = 0; i < rectangles.length; i += 4) {
    context.fillRect(
      rectangles[i] as number,
      rectangles[i + 1] as number,
      rectangles[i + 2] as number,
      rectangles[i + 3] as number,
    );
  }
}

/** Lines over a bar that tell its kind without colour; see the legend. */
function drawMarks(
  context: CanvasRenderingContext2D,
  kind: BarKind,
  style: string,
  rectangles: readonly number[],
): void {
  context.save();
  context.strokeStyle = style;
  context.lineWidth = 1;
  context.beginPath();
  for (let i = 0; i < rectangles.length; i += 4) {
    const [x, y, width, height] = rectangles.slice(i, i + 4) as [number, number, number, number];
    const right = x + Math.min(width, 4_000);
    if (kind === 'SHUTDOWN') {
      context.moveTo(x, y + height / 2);
      context.lineTo(right, y + height / 2);
    } else if (kind === 'MAINTENANCE') {
      for (let at = x + 4; at < right; at += 8) {
        context.moveTo(at, y);
        context.lineTo(at, y + height);
      }
    } else if (kind === 'IMAGE_TRANSFER') {
      for (let at = x + 2; at < right; at += 4) {
        context.moveTo(at, y + height / 2 - 1);
        context.lineTo(at, y + height / 2 + 1);
      }
    } else {
      const falling = kind === 'SUSPENSION' || kind === 'DISK_MIGRATION';
      const step = kind === 'DISK_MIGRATION' || kind === 'MEMORY_MIGRATION' ? 4 : 8;
      for (let at = x; at < right; at += step) {
        const end = Math.min(at + height, right);
        context.moveTo(at, falling ? y : y + height);
        context.lineTo(end, falling ? y + (end - at) : y + height - (end - at));
      }
    }
  }
  context.stroke();
  context.restore();
}

/** About as much of a text as fits: measuring each one would cost more than drawing it. */
function fitText(text: string, width: number): string {
  const characters = Math.floor(width / 6.6);
  return text.length <= characters ? text : `${text.slice(0, Math.max(characters - 1, 0))}…`;
}

/** As fitText, but keeps the end, which tells the hosts of a site apart. */
function fitEnds(text: string, width: number): string {
  const characters = Math.floor(width / 6.6);
  if (text.length <= characters) return text;
  const tail = Math.floor(characters / 2);
  return `${text.slice(0, characters - tail - 1)}…${text.slice(-tail)}`;
}

function drawNow(context: CanvasRenderingContext2D, scene: Scene): void {
  const { now, viewport, left, size, palette } = scene;
  if (now < viewport.from || now > viewport.to) return;
  const x = Math.round(xOf(scene, now)) + 0.5;
  if (x < left) return;
  context.strokeStyle = palette.now;
  context.lineWidth = 2;
  context.beginPath();
  context.moveTo(x, axisHeight - 6);
  context.lineTo(x, size.height);
  context.stroke();
}

/** Told apart without colour. */
const stateMarks: Readonly<Partial<Record<NodeState, string>>> = { DRAINING: '◐', DOWN: '✕' };

function drawHostnames(context: CanvasRenderingContext2D, scene: Scene): void {
  const { model, viewport, left, size, palette } = scene;
  context.fillStyle = palette.background;
  context.fillRect(0, axisHeight, left, size.height - axisHeight);
  // Where rows are lower than a line of text, only some are named.
  const every = Math.max(1, Math.ceil(14 / viewport.rowHeight));
  const { first, last } = visibleRows(scene);
  context.save();
  context.beginPath();
  context.rect(0, axisHeight, left, size.height - axisHeight);
  context.clip();
  for (let index = first - (first % every); index < last; index += every) {
    const row = model.rows[index];
    if (row === undefined) continue;
    const isUp = row.state === 'UP';
    const text = isUp ? row.label : `${stateMarks[row.state] ?? ''} ${row.label}`;
    context.fillStyle = isUp ? palette.text : palette.unavailable;
    // A name stands in the middle of its row, or of the rows for which it stands.
    const y = yOf(scene, index) + (viewport.rowHeight * every) / 2;
    context.fillText(fitEnds(text, left - 12), 6, y);
  }
  context.restore();
  context.strokeStyle = palette.line;
  context.beginPath();
  context.moveTo(left + 0.5, 0);
  context.lineTo(left + 0.5, size.height);
  context.stroke();
}

function drawAxis(context: CanvasRenderingContext2D, scene: Scene): void {
  const { viewport, left, size, palette, formatTick } = scene;
  context.fillStyle = palette.background;
  context.fillRect(0, 0, size.width, axisHeight);
  context.strokeStyle = palette.line;
  context.beginPath();
  context.moveTo(0, axisHeight + 0.5);
  context.lineTo(size.width, axisHeight + 0.5);
  context.stroke();
  context.fillStyle = palette.muted;
  const { step, at } = ticks(viewport.from, viewport.to, size.width - left);
  for (const tick of at) {
    const x = xOf(scene, tick);
    if (x >= left) context.fillText(formatTick(tick, step), x + 4, axisHeight / 2);
  }
}
