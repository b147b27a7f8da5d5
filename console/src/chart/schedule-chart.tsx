import {
  type KeyboardEvent,
  type PointerEvent as ReactPointerEvent,
  type Ref,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { formatEnum, formatInstant, formatMillis } from '../ui/format.ts';
import { useSettings } from '../ui/settings.tsx';
import { ChartView } from './chart-view.ts';
import { type Palette, readPalette } from './palette.ts';
import { type Bar, kindLabels, neighbourOf, type ScheduleModel, sameBar } from './schedule-model.ts';
import { axisHeight, fitRows, panTime, scrollRows, timeAt, type Viewport, zoomRows, zoomTime } from './viewport.ts';

/** Changes what the chart shows, without rendering it. */
export interface ChartHandle {
  change(change: (viewport: Viewport) => Viewport): void;
}

export interface ScheduleChartProps {
  readonly ref: Ref<ChartHandle>;
  readonly model: ScheduleModel;
  /** What is shown at first. */
  readonly initial: () => Viewport;
  /** Called for each change, possibly several times per frame, so rendering must not depend on it. */
  readonly onViewport: (viewport: Viewport) => void;
  readonly now: () => number;
  readonly highlighted: ReadonlySet<number> | null;
  /** Why the chart is empty; null when it is not, or not known to be. */
  readonly notice: string | null;
  readonly onOpenLease: (number: number) => void;
}

interface Selected {
  readonly model: ScheduleModel;
  readonly bar: Bar;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * The schedule on a canvas: nodes vertically, time horizontally. Dragging pans, the wheel scrolls (with Ctrl it zooms
 * time, with Shift it pans), two fingers pinch. The keyboard does the same; see the help text below the chart.
 */
export function ScheduleChart({
  ref,
  model,
  initial,
  onViewport,
  now,
  highlighted,
  notice,
  onOpenLease,
}: ScheduleChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const viewRef = useRef<ChartView | null>(null);
  /** Position of the chart on the page; null once it may have moved. Reading it forces a layout. */
  const bounds = useRef<DOMRect | null>(null);
  const [chosen, setChosen] = useState<Selected | null>(null);
  const [pointed, setPointed] = useState<Selected | null>(null);
  const { timeZone, theme } = useSettings();
  const rows = model.rows.length;
  const palette = usePalette(frame, theme);
  const formatTick = useTickFormat(timeZone);
  const selected = useMemo(() => chosen && sameBar(model, chosen.model, chosen.bar), [model, chosen]);
  const hovered = useMemo(() => pointed && sameBar(model, pointed.model, pointed.bar), [model, pointed]);
  const shown = hovered ?? selected;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the chart begins once; what it shows later is its own
  useLayoutEffect(() => {
    const [element, surface] = [frame.current, canvas.current];
    if (element === null || surface === null) return;
    const view = new ChartView(surface, viewRef.current?.viewport ?? initial(), now, onViewport);
    viewRef.current = view;
    const moved = () => {
      bounds.current = null;
    };
    const observer = new ResizeObserver(() => {
      moved();
      const size = { width: element.clientWidth, height: element.clientHeight };
      view.resize(size, window.devicePixelRatio || 1);
    });
    observer.observe(element);
    window.addEventListener('scroll', moved, { passive: true, capture: true });
    window.addEventListener('resize', moved);
    const timer = setInterval(() => view.redraw(), 1_000);
    return () => {
      observer.disconnect();
      window.removeEventListener('scroll', moved, { capture: true });
      window.removeEventListener('resize', moved);
      clearInterval(timer);
      view.dispose();
    };
  }, [now, onViewport]);
  useImperativeHandle(ref, () => ({ change: (change) => viewRef.current?.change(change) }), []);

  useLayoutEffect(() => {
    if (palette) viewRef.current?.show({ model, palette, highlighted, formatTick });
  }, [model, palette, highlighted, formatTick]);
  useLayoutEffect(() => viewRef.current?.setActive(shown), [shown]);

  const pointAt = ({ clientX, clientY }: { clientX: number; clientY: number }): Point => {
    bounds.current ??= frame.current?.getBoundingClientRect() ?? new DOMRect();
    // Within the border.
    return { x: clientX - bounds.current.left - 1, y: clientY - bounds.current.top - 1 };
  };

  // React's wheel listeners are passive, but zooming must prevent the page from scrolling.
  // biome-ignore lint/correctness/useExhaustiveDependencies: pointAt reads only refs
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const onWheel = (event: WheelEvent) => {
      const view = viewRef.current;
      if (!view) return;
      const { x, y } = pointAt(event);
      const { viewport, area, left } = view;
      const span = viewport.to - viewport.from;
      if (event.ctrlKey || event.metaKey) {
        const around = timeAt(viewport, area, left, x);
        view.change((current) => zoomTime(current, Math.exp(event.deltaY / 400), around));
      } else if (event.altKey) {
        view.change((current) => zoomRows(current, Math.exp(-event.deltaY / 400), y, rows, area.height));
      } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        const delta = event.deltaX || event.deltaY;
        view.change((current) => panTime(current, (delta / area.width) * span));
      } else if (rows * viewport.rowHeight > area.height - axisHeight) {
        view.change((current) => scrollRows(current, event.deltaY, rows, area.height));
      } else return;
      event.preventDefault();
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [rows]);

  const pointers = useRef(new Map<number, Point>());
  const distance = useRef(0);
  const onPointerDown = (event: ReactPointerEvent<HTMLDivElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    pointers.current.set(event.pointerId, pointAt(event));
    distance.current = 0;
  };
  const onPointerMove = (event: ReactPointerEvent<HTMLDivElement>) => {
    const view = viewRef.current;
    if (!view) return;
    const at = pointAt(event);
    const before = pointers.current.get(event.pointerId);
    if (!before) {
      const bar = view.barAt(at.x, at.y);
      if (bar?.index !== hovered?.index) setPointed(bar && { model, bar });
      return;
    }
    const { viewport, area, left } = view;
    const span = viewport.to - viewport.from;
    const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const apart = (point: Point) => Math.max(Math.abs(point.x - other.x), 20);
      const around = timeAt(viewport, area, left, (at.x + other.x) / 2);
      view.change((current) => zoomTime(current, apart(before) / apart(at), around));
    } else {
      const ms = ((before.x - at.x) / Math.max(area.width - left, 1)) * span;
      view.change((current) => scrollRows(panTime(current, ms), before.y - at.y, rows, area.height));
    }
    distance.current += Math.abs(at.x - before.x) + Math.abs(at.y - before.y);
    pointers.current.set(event.pointerId, at);
  };
  const onPointerUp = (event: ReactPointerEvent<HTMLDivElement>) => {
    const at = pointAt(event);
    pointers.current.delete(event.pointerId);
    if (distance.current > 6 || event.type === 'pointercancel') return;
    const bar = viewRef.current?.barAt(at.x, at.y) ?? null;
    setChosen(bar && { model, bar });
    if (bar?.reservation) onOpenLease(bar.reservation.leaseNumber);
  };

  const select = (step: number) => {
    const bar = neighbourOf(model, selected, step);
    const view = viewRef.current;
    if (!bar || !view) return;
    setPointed(null);
    setChosen({ model, bar });
    view.change((current) => reveal(current, bar, rows, view.area.height));
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const view = viewRef.current;
    if (!view || event.ctrlKey || event.metaKey || event.altKey) return;
    const { from, to } = view.viewport;
    const { height } = view.area;
    const middle = (from + to) / 2;
    const { key } = event;
    if (key === 'ArrowLeft') view.change((current) => panTime(current, (from - to) / 8));
    else if (key === 'ArrowRight') view.change((current) => panTime(current, (to - from) / 8));
    else if (key === 'ArrowUp') view.change((current) => scrollRows(current, -4 * current.rowHeight, rows, height));
    else if (key === 'ArrowDown') view.change((current) => scrollRows(current, 4 * current.rowHeight, rows, height));
    else if (key === '+' || key === '=') view.change((current) => zoomTime(current, 0.7, middle));
    else if (key === '-') view.change((current) => zoomTime(current, 1 / 0.7, middle));
    else if (key === 'f') view.change((current) => fitRows(current, rows, height));
    else if (key === 'n') select(1);
    else if (key === 'p') select(-1);
    else if (key === 'Escape') setChosen(null);
    else if (key === 'Enter' && selected?.reservation) onOpenLease(selected.reservation.leaseNumber);
    else return;
    event.preventDefault();
  };

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
        onPointerLeave={() => setPointed(null)}
        onKeyDown={onKeyDown}
      >
        <canvas ref={canvas} />
        {notice !== null && (
          <p className="schedule-notice" aria-hidden="true">
            {notice}
          </p>
        )}
      </div>
      <p className="schedule-detail" role="status">
        {shown
          ? describe(shown, model, timeZone)
          : model.columns.bars.start.length === 0
            ? (notice ?? 'Reading the schedule…')
            : 'Point to a reservation or press N to see its details.'}
      </p>
      <p id="schedule-help" className="hint">
        Drag or use the arrow keys to move. Ctrl and the wheel, or + and −, zoom the time; Alt and the wheel zoom the
        rows; F shows all rows. N and P go to the next and previous reservation, Enter opens its lease.
      </p>
    </>
  );
}

function describe(bar: Bar, model: ScheduleModel, timeZone: string): string {
  const on = model.rows[bar.row]?.hostname;
  const times = `${formatInstant(bar.start, timeZone)} to ${formatInstant(bar.end, timeZone)} (${timeZone})`;
  const length = formatMillis(bar.end - bar.start);
  const kind = kindLabels[bar.kind] ?? 'Reservation';
  if (bar.reservation === null) {
    return `${kind} of ${on}${bar.reason ? ` (${bar.reason})` : ''}: ${times}, ${length}.`;
  }
  const { leaseNumber, leaseName, leaseState, leaseType, leaseProject, state, nodes } = bar.reservation;
  const words = (value: string) => formatEnum(value).toLowerCase();
  const name = leaseName ? ` “${leaseName}”` : '';
  const project = leaseProject === null ? '' : `, project ${leaseProject}`;
  const others = nodes === 1 ? '' : ` and ${nodes - 1} other node${nodes === 2 ? '' : 's'}`;
  return (
    `${kind} of lease ${leaseNumber}${name} (${words(leaseType)}, ${words(leaseState)}${project}) ` +
    `on ${on}${others}: ${times}, ${length}, ${words(state)}.`
  );
}

function reveal(viewport: Viewport, bar: Bar, rows: number, height: number): Viewport {
  const span = viewport.to - viewport.from;
  const outside = bar.end < viewport.from || bar.start > viewport.to;
  const from = outside ? Math.round(bar.start - span / 4) : viewport.from;
  const top = bar.row * viewport.rowHeight;
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
