import { clientError } from '../errors.ts';
import { maxEntries } from '../limits.ts';

/** A list with more entries is read and made while no other such list is. */
const largeList = 500;
/** Rounds of the event loop between two large lists: enough to answer a small operation. */
const roundsBetweenLists = 5;
/** Steps of a loop between two turns of the event loop. */
const stepsPerTurn = 1_000;

/** Settles when the latest large list has been made and other work has had its turn. */
let latestList: Promise<unknown> = Promise.resolve();

/**
 * The entries of lists without pages that one response holds. How many there are is known only while the response is
 * made: a lease has as many machines as its request named.
 */
export class Budget {
  private entries = 0;

  /** Counts entries before they are read. Throws OPERATION_TOO_LARGE when the response would hold too many. */
  take(entries: number): void {
    this.entries += entries;
    this.check();
  }

  /**
   * Counts and reads entries; large lists are read one after the other. Otherwise many subscribers to a lease with
   * thousands of machines would block the server together, and fill its memory at once.
   */
  async read<T>(entries: number, read: () => Promise<T>): Promise<T> {
    this.take(entries);
    if (entries <= largeList) return read();
    const list = latestList.then(() => {
      // The response may have become too large while this list waited.
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

/** Maps elements in slices, with a turn of the event loop after each. Throws the reason of an aborted signal. */
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
