import { type BarStyle, type Context2D, drawPart } from './draw-bars.ts';
import type { Geometry } from './geometry.ts';

/** Device pixels. */
const tileSize = 256;
/** Maximum time to draw tiles per frame. */
const budgetMs = 2;
/** Distance beyond the visible part up to which tiles are drawn ahead and kept. */
const margin = 1;

interface TileSet {
  readonly style: BarStyle;
  readonly ratio: number;
  readonly msPerPixel: number;
  readonly rowHeight: number;
  /** The instant at the left edge of column 0. */
  readonly origin: number;
  readonly bitmaps: Map<number, Tile>;
  /** Whether it has filled the view once. */
  isComplete: boolean;
}

interface Tile {
  readonly column: number;
  readonly band: number;
  readonly bitmap: ImageBitmap;
}

interface View {
  readonly firstColumn: number;
  readonly lastColumn: number;
  readonly firstBand: number;
  readonly lastBand: number;
}

/**
 * The schedule as tiles of 256 by 256 pixels, so that a frame of a pan draws only what came into view. When the bars or
 * the scale change, old tiles remain, stretched, until they are replaced, a few per frame.
 */
export class Tiles {
  private current: TileSet | null = null;
  private former: TileSet | null = null;
  private readonly surface = new OffscreenCanvas(tileSize, tileSize);
  private readonly context = this.surface.getContext('2d', { alpha: false });

  /** Draws the plot. Returns whether more tiles, visible or ahead, remain for the next frame. */
  draw(target: Context2D, geometry: Geometry, style: BarStyle): boolean {
    const set = this.setFor(geometry, style);
    const offset = Math.round((geometry.from - set.origin) / geometry.msPerPixel);
    const view = viewOf(geometry, offset);
    const began = performance.now();
    let missing = 0;
    const drawMissing = (column: number, band: number) => {
      if (band < 0 || set.bitmaps.has(keyOf(column, band))) return;
      missing += 1;
      if (performance.now() - began > budgetMs) return;
      this.drawTile(set, column, band);
      missing -= 1;
    };
    eachOf(view, 0, drawMissing);
    const isWhole = missing === 0;
    if (isWhole) {
      set.isComplete = true;
      this.former = close(this.former);
      eachOf(view, margin, drawMissing);
    } else {
      target.fillStyle = style.palette.background;
      target.fillRect(geometry.left, geometry.top, geometry.width, geometry.height);
      if (this.former && !isAligned(this.former, set)) drawStretched(target, geometry, this.former);
    }
    const fallback = this.former && isAligned(this.former, set) ? this.former : null;
    eachOf(view, 0, (column, band) => {
      const key = keyOf(column, band);
      const tile = set.bitmaps.get(key) ?? fallback?.bitmaps.get(key);
      const x = geometry.left + column * tileSize - offset;
      const y = geometry.top + band * tileSize - geometry.scrollTop;
      if (tile) target.drawImage(tile.bitmap, x, y);
    });
    forgetDistant(set, view);
    return missing > 0;
  }

  dispose(): void {
    this.current = close(this.current);
    this.former = close(this.former);
  }

  private setFor({ ratio, msPerPixel, rowHeight, from }: Geometry, style: BarStyle): TileSet {
    const { current } = this;
    const scale = { ratio, msPerPixel, rowHeight };
    const hasScale = current !== null && isSameScale(current, scale);
    if (hasScale && current.style === style) return current;
    // If only the bars changed, an old tile is at the place of the new one and is drawn instead.
    const origin = hasScale ? current.origin : from;
    // During a zoom no set becomes complete; the set from before the zoom is drawn.
    if (current?.isComplete || this.former === null) {
      close(this.former);
      this.former = current;
    } else close(current);
    this.current = {
      style,
      ...scale,
      origin,
      bitmaps: new Map(),
      isComplete: false,
    };
    return this.current;
  }

  private drawTile(set: TileSet, column: number, band: number): void {
    if (!this.context) return;
    const { ratio, msPerPixel, rowHeight, origin, style } = set;
    const from = origin + column * tileSize * msPerPixel;
    const part = {
      ratio,
      msPerPixel,
      rowHeight,
      from,
      top: band * tileSize,
      width: tileSize,
      height: tileSize,
    };
    drawPart(this.context, part, style);
    set.bitmaps.set(keyOf(column, band), { column, band, bitmap: this.surface.transferToImageBitmap() });
  }
}

type Scale = Pick<TileSet, 'ratio' | 'msPerPixel' | 'rowHeight'>;

function isSameScale(a: Scale, b: Scale): boolean {
  return a.ratio === b.ratio && a.msPerPixel === b.msPerPixel && a.rowHeight === b.rowHeight;
}

/** Whether the tiles of both sets are at the same places. */
function isAligned(a: TileSet, b: TileSet): boolean {
  return isSameScale(a, b) && a.origin === b.origin;
}

function viewOf({ left, top, width, height, scrollTop }: Geometry, offset: number): View {
  return {
    firstColumn: Math.floor(offset / tileSize),
    lastColumn: Math.floor((offset + width - left - 1) / tileSize),
    firstBand: Math.floor(scrollTop / tileSize),
    lastBand: Math.floor((scrollTop + height - top - 1) / tileSize),
  };
}

function eachOf(view: View, beyond: number, callback: (column: number, band: number) => void): void {
  for (let band = view.firstBand - beyond; band <= view.lastBand + beyond; band += 1) {
    for (let column = view.firstColumn - beyond; column <= view.lastColumn + beyond; column += 1)
      callback(column, band);
  }
}

function keyOf(column: number, band: number): number {
  return band * 2 ** 32 + column;
}

/** Tiles of another scale or of old bars, at their present places. */
function drawStretched(target: Context2D, geometry: Geometry, set: TileSet): void {
  const { left, top, width, height, from, msPerPixel, rowHeight, scrollTop } = geometry;
  const tileWidth = (tileSize * set.msPerPixel) / msPerPixel;
  const tileHeight = (tileSize * rowHeight) / set.rowHeight;
  for (const { column, band, bitmap } of set.bitmaps.values()) {
    const x = left + (set.origin - from) / msPerPixel + column * tileWidth;
    const y = top + band * tileHeight - scrollTop;
    if (x < width && x + tileWidth > left && y < height && y + tileHeight > top)
      target.drawImage(bitmap, x, y, tileWidth, tileHeight);
  }
}

function forgetDistant(set: TileSet, view: View): void {
  for (const [key, { column, band, bitmap }] of set.bitmaps) {
    const isNear =
      column >= view.firstColumn - 2 * margin &&
      column <= view.lastColumn + 2 * margin &&
      band >= view.firstBand - 2 * margin &&
      band <= view.lastBand + 2 * margin;
    if (isNear) continue;
    bitmap.close();
    set.bitmaps.delete(key);
  }
}

function close(set: TileSet | null): null {
  for (const { bitmap } of set?.bitmaps.values() ?? []) bitmap.close();
  return null;
}
