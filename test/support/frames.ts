/** What each frame of a page costs, from a trace of Chromium. */
import type { BrowserContext, Page } from 'playwright-core';

/** One frame, in milliseconds. */
export interface Frame {
  /** From the task with its animation callbacks to that of the next frame: what a person sees, and what other processes lengthen. */
  readonly interval: number;
  /** Processor time of the page's main thread: scripts, styles, layout, painting. */
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

const categories = ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'v8'];

/** The frames that the page draws while `action` runs. */
export async function traceFrames(
  context: BrowserContext,
  page: Page,
  action: () => Promise<void>,
): Promise<Frame[]> {
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
  const tasks = ofMain.filter(({ name }) => name === 'RunTask');
  const calls = ofMain.filter(({ name }) => scripts.includes(name));
  // The callbacks of one frame run in one task.
  const starts = tasks
    .filter(({ ts, dur = 0 }) => callbacks.some((each) => each.ts >= ts && each.ts <= ts + dur))
    .map(({ ts }) => ts)
    .sort((a, b) => a - b);
  const sum = (from: number, to: number, of: readonly TraceEvent[]) =>
    of.reduce((total, { ts, tdur = 0 }) => (ts >= from && ts < to ? total + tdur : total), 0) / 1_000;
  return starts.slice(0, -1).map((ts, index) => {
    const next = starts[index + 1] ?? ts;
    return {
      interval: (next - ts) / 1_000,
      work: sum(ts, next, tasks),
      scripting: sum(ts, next, calls),
    };
  });
}
