import {
  type KeyboardEvent,
  type PointerEvent as ReactPointerEvent,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { formatEnum, formatInstant, formatMillis } from '../ui/format.ts';
import { useSettings } from '../ui/settings.tsx';
import { draw, type Palette, readPalette } from './draw.ts';
import { type Bar, kindLabels, type ScheduleModel } from './schedule-model.ts';
import {
  axisHeight,
  type ChartSize,
  fitRows,
  panTime,
  scrollRows,
  timeAt,
  type Viewport,
  zoomRows,
  zoomTime,
} from './viewport.ts';

export interface ScheduleChartProps {
  readonly model: ScheduleModel;
  readonly viewport: Viewport;
  readonly onViewport: (change: (viewport: Viewport) => Viewport) => void;
  readonly now: () => number;
  readonly highlighted: ReadonlySet<number> | null;
  readonly onOpenLease: (number: number) => void;
}

interface Selected {
  readonly row: number;
  readonly bar: Bar;
}

/**
 * Nodes down, time across, on a canvas. Drag pans, the wheel scrolls (with Ctrl it zooms time, with Shift it pans), two
 * fingers pinch. The keyboard does the same; see the help text below the chart.
 */
export function ScheduleChart({
  model,
  viewport,
  onViewport,
  now,
  highlighted,
  onOpenLease,
}: ScheduleChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState<ChartSize>({ width: 0, height: 0 });
  const [selected, setSelected] = useState<Selected | null>(null);
  const [hovered, setHovered] = useState<Selected | null>(null);
  const { timeZone, theme } = useSettings();
  const left = size.width < 600 ? 84 : 144;
  const rows = model.rows.length;

  const palette = usePalette(frame, theme);
  const formatTick = useTickFormat(timeZone);

  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const observer = new ResizeObserver(() =>
      setSize({ width: element.clientWidth, height: element.clientHeight }),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  // What is drawn is read when the frame is drawn, so that many changes between two frames cost one drawing.
  const scene = {
    model,
    viewport,
    size,
    left,
    palette,
    active: (hovered ?? selected)?.bar ?? null,
    highlighted,
    formatTick,
  };
  const latest = useRef(scene);
  latest.current = scene;
  const scheduled = useRef(0);
  const redraw = useCallback(() => {
    if (scheduled.current !== 0) return;
    scheduled.current = requestAnimationFrame(() => {
      scheduled.current = 0;
      const context = canvas.current?.getContext('2d', { alpha: false });
      const { palette: colors, size: area } = latest.current;
      if (!context || colors === null || area.width === 0) return;
      draw(context, { ...latest.current, palette: colors, now: now() });
    });
  }, [now]);
  // After every rendering: whatever was rendered may be drawn differently.
  useEffect(redraw);
  useEffect(() => {
    const timer = setInterval(redraw, 1_000);
    return () => {
      clearInterval(timer);
      cancelAnimationFrame(scheduled.current);
      scheduled.current = 0;
    };
  }, [redraw]);

  useLayoutEffect(() => {
    const element = canvas.current;
    if (element === null || size.width === 0) return;
    const ratio = window.devicePixelRatio || 1;
    element.width = Math.round(size.width * ratio);
    element.height = Math.round(size.height * ratio);
    element.getContext('2d', { alpha: false })?.setTransform(ratio, 0, 0, ratio, 0, 0);
  }, [size]);

  const barAt = (x: number, y: number): Selected | null => {
    if (x < left || y < axisHeight) return null;
    const position = (y - axisHeight + viewport.scrollTop) / viewport.rowHeight;
    const row = Math.floor(position);
    const at = timeAt(viewport, size, left, x);
    const tolerance = ((viewport.to - viewport.from) / size.width) * 2;
    const within = model.rows[row]?.bars.filter(
      ({ start, end }) => start <= at + tolerance && end > at - tolerance,
    );
    const bar =
      within?.find(({ lane, lanes }) => Math.floor((position - row) * lanes) === lane) ?? within?.[0];
    return bar ? { row, bar } : null;
  };

  // React listens to wheel events passively; zooming has to keep the page from scrolling.
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const onWheel = (event: WheelEvent) => {
      const { viewport: view, size: area, left: column } = latest.current;
      const x = event.clientX - element.getBoundingClientRect().left;
      const y = event.clientY - element.getBoundingClientRect().top;
      const span = view.to - view.from;
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        const around = timeAt(view, area, column, x);
        onViewport((current) => zoomTime(current, Math.exp(event.deltaY / 400), around));
      } else if (event.altKey) {
        event.preventDefault();
        onViewport((current) => zoomRows(current, Math.exp(-event.deltaY / 400), y, rows, area.height));
      } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault();
        const delta = event.deltaX || event.deltaY;
        onViewport((current) => panTime(current, (delta / area.width) * span));
      } else if (rows * view.rowHeight > area.height - axisHeight) {
        event.preventDefault();
        onViewport((current) => scrollRows(current, event.deltaY, rows, area.height));
      }
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [onViewport, rows]);

  const pointers = useRef(new Map<number, { x: number; y: number }>());
  const moved = useRef(0);
  const pointAt = (event: ReactPointerEvent): { x: number; y: number } => {
    const bounds = event.currentTarget.getBoundingClientRect();
    return { x: event.clientX - bounds.left, y: event.clientY - bounds.top };
  };
  const onPointerDown = (event: ReactPointerEvent<HTMLDivElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    pointers.current.set(event.pointerId, pointAt(event));
    moved.current = 0;
  };
  const onPointerMove = (event: ReactPointerEvent<HTMLDivElement>) => {
    const at = pointAt(event);
    const before = pointers.current.get(event.pointerId);
    if (!before) {
      setHovered(barAt(at.x, at.y));
      return;
    }
    const span = viewport.to - viewport.from;
    const others = [...pointers.current].filter(([id]) => id !== event.pointerId);
    const other = others[0]?.[1];
    if (other) {
      const distance = (a: { x: number; y: number }) => Math.max(Math.abs(a.x - other.x), 20);
      const around = timeAt(viewport, size, left, (at.x + other.x) / 2);
      onViewport((current) => zoomTime(current, distance(before) / distance(at), around));
    } else {
      const ms = ((before.x - at.x) / Math.max(size.width - left, 1)) * span;
      onViewport((current) => scrollRows(panTime(current, ms), before.y - at.y, rows, size.height));
    }
    moved.current += Math.abs(at.x - before.x) + Math.abs(at.y - before.y);
    pointers.current.set(event.pointerId, at);
  };
  const onPointerUp = (event: ReactPointerEvent<HTMLDivElement>) => {
    const at = pointAt(event);
    pointers.current.delete(event.pointerId);
    if (moved.current > 6 || event.type === 'pointercancel') return;
    const found = barAt(at.x, at.y);
    setSelected(found);
    if (found?.bar.reservation) onOpenLease(found.bar.reservation.leaseNumber);
  };

  const select = (step: number) => {
    if (model.bars.length === 0) return;
    const index = selected ? model.bars.findIndex(({ bar }) => bar === selected.bar) : step > 0 ? -1 : 0;
    const next = model.bars[(index + step + model.bars.length) % model.bars.length];
    if (!next) return;
    setHovered(null);
    setSelected(next);
    onViewport((current) => reveal(current, next, rows, size.height));
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const span = viewport.to - viewport.from;
    const middle = (viewport.from + viewport.to) / 2;
    const { key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (key === 'ArrowLeft') onViewport((current) => panTime(current, -span / 8));
    else if (key === 'ArrowRight') onViewport((current) => panTime(current, span / 8));
    else if (key === 'ArrowUp')
      onViewport((current) => scrollRows(current, -4 * current.rowHeight, rows, size.height));
    else if (key === 'ArrowDown')
      onViewport((current) => scrollRows(current, 4 * current.rowHeight, rows, size.height));
    else if (key === '+' || key === '=') onViewport((current) => zoomTime(current, 0.7, middle));
    else if (key === '-') onViewport((current) => zoomTime(current, 1 / 0.7, middle));
    else if (key === 'f') onViewport((current) => fitRows(current, rows, size.height));
    else if (key === 'n') select(1);
    else if (key === 'p') select(-1);
    else if (key === 'Escape') setSelected(null);
    else if (key === 'Enter' && selected?.bar.reservation) onOpenLease(selected.bar.reservation.leaseNumber);
    else return;
    event.preventDefault();
  };

  const shown = hovered ?? selected;
  return (
    <>
      <div
        ref={frame}
        className="schedule-chart"
        role="application"
        aria-label="Schedule chart"
        aria-describedby="schedule-help"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: an application region takes keys itself
        tabIndex={0}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={onPointerUp}
        onPointerLeave={() => setHovered(null)}
        onKeyDown={onKeyDown}
      >
        <canvas ref={canvas} />
      </div>
      <p className="schedule-detail" role="status">
        {shown
          ? describe(shown, model, timeZone)
          : model.bars.length === 0
            ? 'Nothing ran or is planned in this time.'
            : 'Point to a reservation or press N to see its details.'}
      </p>
      <p id="schedule-help" className="hint">
        Drag or use the arrow keys to move. Ctrl and the wheel, or + and −, zoom the time; Alt and the wheel
        zoom the rows; F shows all rows. N and P go to the next and previous reservation, Enter opens its
        lease.
      </p>
    </>
  );
}

function describe({ row, bar }: Selected, model: ScheduleModel, timeZone: string): string {
  const on = model.rows[row]?.hostname;
  const times = `${formatInstant(bar.start, timeZone)} to ${formatInstant(bar.end, timeZone)}`;
  const length = formatMillis(bar.end - bar.start);
  const kind = kindLabels[bar.kind] ?? 'Reservation';
  if (bar.reservation === null) {
    return `${kind} of ${on}${bar.reason ? ` (${bar.reason})` : ''}: ${times}, ${length}.`;
  }
  const { leaseNumber, leaseName, leaseState, state } = bar.reservation;
  const name = leaseName ? ` “${leaseName}”` : '';
  return (
    `${kind} of lease ${leaseNumber}${name} (${formatEnum(leaseState).toLowerCase()}) on ${on}: ` +
    `${times}, ${length}, ${formatEnum(state).toLowerCase()}.`
  );
}

function reveal(viewport: Viewport, { row, bar }: Selected, rows: number, height: number): Viewport {
  const span = viewport.to - viewport.from;
  const outside = bar.end < viewport.from || bar.start > viewport.to;
  const from = outside ? bar.start - span / 4 : viewport.from;
  const top = row * viewport.rowHeight;
  const bottom = top + viewport.rowHeight - (height - axisHeight);
  const scrollTop = Math.max(Math.min(viewport.scrollTop, top), bottom);
  return scrollRows({ ...viewport, from, to: from + span, scrollTop }, 0, rows, height);
}

function usePalette(frame: React.RefObject<HTMLDivElement | null>, theme: string): Palette | null {
  const [palette, setPalette] = useState<Palette | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme decides what the style sheet says
  useLayoutEffect(() => {
    const read = () => frame.current && setPalette(readPalette(frame.current));
    read();
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', read);
    return () => dark.removeEventListener('change', read);
  }, [frame, theme]);
  return palette;
}

function useTickFormat(timeZone: string): (at: number, step: number) => string {
  return useMemo(() => {
    const options: Intl.DateTimeFormatOptions = { timeZone, hour: '2-digit', minute: '2-digit' };
    const time = new Intl.DateTimeFormat('en-GB', options);
    const seconds = new Intl.DateTimeFormat('en-GB', { ...options, second: '2-digit' });
    const date = new Intl.DateTimeFormat('en-GB', { timeZone, day: '2-digit', month: 'short' });
    return (at, step) => {
      if (step >= 86_400_000) return date.format(at);
      if (step < 60_000) return seconds.format(at);
      const text = time.format(at);
      return text === '00:00' || step >= 6 * 3_600_000 ? `${date.format(at)} ${text}` : text;
    };
  }, [timeZone]);
}
