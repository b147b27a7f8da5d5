/**
 * What reads have found is worked on in slices: results that come together must not keep the event loop from health
 * checks, commands and new connections (of which it accepts one per round).
 */

/** How long one round of the event loop may go on working on results (ms). */
const sliceLength = 5;

/** How many rounds in a row may be left to connections alone. */
const maxRoundsLeft = 50;

const waiting: (() => void)[] = [];
/** When the results of this round began to be worked on; null when none have been. */
let begun: number | null = null;
/** Whether a connection was accepted in the last round, so that more may wait. */
let accepting = false;
/** Rounds in a row that were left to connections. */
let roundsLeft = maxRoundsLeft;

/** Resolves one after the other, in the order of the calls: in this round of the event loop or in a later one. */
export function pace(): Promise<void> {
  if (begun !== null) return new Promise((resolve) => waiting.push(resolve));
  begun = performance.now();
  afterThis(resumeNext);
  return Promise.resolve();
}

/** What a statement has found, when it is time to work on it. */
export async function paced<T>(reading: Promise<T>): Promise<T> {
  const found = await reading;
  await pace();
  return found;
}

/** A connection was accepted: results that wait are left to later rounds, so that the next one is accepted at once. */
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

/** Calls back once what goes on, and all that follows from it at once, has been done. */
function afterThis(callback: () => void): void {
  queueMicrotask(() => process.nextTick(callback));
}
