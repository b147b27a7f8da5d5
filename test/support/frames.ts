/** What each frame of a page costs, from a trace of Chromium. */
import type { BrowserContext, Page } from 'playwright-core';

/** One frame, in milliseconds. */
export interface Frame {
  /** From the task with its animation callbacks to that of the next frame: what a person sees, and what other processes lengthen. */
  readonly interval: number;
  /**
   * Processor time of the page's main thread at one stretch: scripts, styles, layout, painting. A pause ends a stretch:
   * the thread could have drawn then. On a busy machine frames lie far apart, with more than one such stretch between.
   */
  readonly work: number;
  /** The part of it that scripts took. */
  readonly scripting: number;
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds. */
  readonly ts: number;
  readonly dur?: number;
  /** Processor time of the thread, in microseconds. */
  readonly tdur?: number;
}

/** As long as the thread has nothing to do, it pauses. */
const pauseUs = 1_000;

const categories = ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'v8'];

/** The frames that the page draws while `action` runs. */
export async function traceFrames(context: BrowserContext, page: Page, action: () => Promise<void>): Promise<Frame[]> {
  const session = await context.newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  const complete = new Promise<void>((resolve) => session.once('Tracing.tracingComplete', () => resolve()));
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: categories, recordMode: 'recordAsMuchAsPossible' },
  });
  await action();
  await session.send('Tracing.end');
  await complete;
  await session.detach();
  return framesOf(events);
}

function framesOf(events: readonly TraceEvent[]): Frame[] {
  const callbacks = events.filter(({ name, ph }) => name === 'FireAnimationFrame' && ph === 'X');
  const [main] = callbacks;
  if (main === undefined) throw new Error('The trace has no animation frame.');
  const ofMain = events.filter(({ pid, tid, ph }) => pid === main.pid && tid === main.tid && ph === 'X');
  const scripts = ['FunctionCall', 'EvaluateScript', 'V8.GC_MAIN_THREAD'];
  // A script that calls another is counted once.
  const tasks = ofMain.filter(({ name }) => name === 'RunTask').sort((a, b) => a.ts - b.ts);
  const calls = ofMain.filter(({ name }) => scripts.includes(name));
  // The callbacks of one frame run in one task.
  const starts = tasks
    .filter(({ ts, dur = 0 }) => callbacks.some((each) => each.ts >= ts && each.ts <= ts + dur))
    .map(({ ts }) => ts)
    .sort((a, b) => a - b);
  /** Between the start of a frame and that of the next. */
  const longestStretch = (from: number, to: number): number => {
    let longest = 0;
    let stretch = 0;
    let lastEnd = from;
    for (const { ts, dur = 0, tdur = 0 } of tasks) {
      if (ts < from || ts >= to) continue;
      stretch = ts - lastEnd > pauseUs ? tdur : stretch + tdur;
      lastEnd = ts + dur;
      longest = Math.max(longest, stretch);
    }
    return longest / 1_000;
  };
  const sum = (from: number, to: number, of: readonly TraceEvent[]) =>
    of.reduce((total, { ts, tdur = 0 }) => (ts >= from && ts < to ? total + tdur : total), 0) / 1_000;
  return starts.slice(0, -1).map((ts, index) => {
    const next = starts[index + 1] ?? ts;
    return {
      interval: (next - ts) / 1_000,
      work: longestStretch(ts, next),
      scripting: sum(ts, next, calls),
    };
  });
}
