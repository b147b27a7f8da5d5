import { clientError } from '../errors.ts';
import { maxEntries } from '../limits.ts';

/** Number of entries above which lists are read and built one at a time. */
const largeList = 500;
/** Event loop iterations between two large lists, enough to answer a small operation. */
const roundsBetweenLists = 5;
/** Loop iterations before yielding to the event loop. */
const stepsPerTurn = 1_000;

/** Settles when the latest large list is built and other work has run. */
let latestList: Promise<unknown> = Promise.resolve();

/**
 * Counts the entries of unpaged lists in one response. Their number becomes known only during execution, since a lease
 * may have any number of machines.
 */
export class Budget {
  private entries = 0;

  /** Counts entries before they are read. Throws OPERATION_TOO_LARGE if the response would be too large. */
  take(entries: number): void {
    this.entries += entries;
    this.check();
  }

  /**
   * Counts and reads entries; large lists are read one at a time. Otherwise many subscribers to a lease with thousands
   * of machines would block the server and exhaust its memory.
   */
  async read<T>(entries: number, read: () => Promise<T>): Promise<T> {
    this.take(entries);
    if (entries <= largeList) return read();
    const list = latestList.then(() => {
      // The response may have become too large during the wait.
      this.check();
      return read();
    });
    latestList = list.then(letOthersRun, letOthersRun);
    return list;
  }

  private check(): void {
    if (this.entries <= maxEntries) return;
    throw clientError(
      'OPERATION_TOO_LARGE',
      `The response would hold ${this.entries} machines, or nodes of reservations; the maximum is ${maxEntries}. Ask for smaller pages.`,
    );
  }
}

/** Maps elements in slices and yields to the event loop after each. Throws the reason of an aborted signal. */
export async function mapInSlices<T, R>(
  elements: readonly T[],
  map: (element: T, index: number) => R,
  signal?: AbortSignal | null,
): Promise<R[]> {
  const mapped: R[] = [];
  for (const [index, element] of elements.entries()) {
    if (index > 0 && index % stepsPerTurn === 0) {
      await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
    }
    mapped.push(map(element, index));
  }
  return mapped;
}

async function letOthersRun(): Promise<void> {
  for (let round = 0; round < roundsBetweenLists; round += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
