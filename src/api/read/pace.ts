/**
 * Processes results of reads in slices, so that results arriving together do not delay health checks, commands and new
 * connections (of which the event loop accepts one per iteration).
 */

/** Maximum time per event loop iteration for processing results (ms). */
const sliceLength = 5;

/** Maximum number of consecutive iterations reserved for connections. */
const maxRoundsLeft = 50;

const waiting: (() => void)[] = [];
/** When processing of results began in this iteration; null if it has not. */
let begun: number | null = null;
/** Whether a connection was accepted in the last iteration, so that more may be waiting. */
let accepting = false;
/** Consecutive iterations reserved for connections. */
let roundsLeft = maxRoundsLeft;

/** Resolves calls in order, in this event loop iteration or a later one. */
export function pace(): Promise<void> {
  if (begun !== null) return new Promise((resolve) => waiting.push(resolve));
  begun = performance.now();
  afterThis(resumeNext);
  return Promise.resolve();
}

/** Returns the result of a statement when it may be processed. */
export async function paced<T>(reading: Promise<T>): Promise<T> {
  const found = await reading;
  await pace();
  return found;
}

/**
 * A connection was accepted: pending results wait for later iterations, so that the next connection is accepted at
 * once.
 */
export function connectionAccepted(): void {
  accepting = true;
}

function nextRound(): void {
  if (waiting.length === 0) {
    begun = null;
    return;
  }
  if (accepting && roundsLeft > 0) {
    accepting = false;
    roundsLeft -= 1;
    setImmediate(nextRound);
    return;
  }
  roundsLeft = maxRoundsLeft;
  begun = performance.now();
  resumeNext();
}

function resumeNext(): void {
  const resume = performance.now() - (begun ?? 0) > sliceLength ? undefined : waiting.shift();
  if (resume === undefined) {
    setImmediate(nextRound);
    return;
  }
  resume();
  afterThis(resumeNext);
}

/** Calls back after the current task and its microtasks. */
function afterThis(callback: () => void): void {
  queueMicrotask(() => process.nextTick(callback));
}
