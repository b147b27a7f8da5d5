/**
 * How to take back what is changed on trial. While an attempt runs, everything that changes notes how it is undone; an
 * attempt that comes to nothing undoes it all, last change first. Attempts may be nested. Outside of attempts nothing
 * is noted.
 */
export class Journal {
  private undos: (() => void)[] | null = null;

  /** Whether changes are being noted now. */
  get isOpen(): boolean {
    return this.undos !== null;
  }

  /** Notes how a change is undone. An undo must not use anything that notes changes itself. */
  record(undo: () => void): void {
    this.undos?.push(undo);
  }

  /** Notes the own fields of an object as they are now. Collections in them are kept by reference. */
  save(object: object): void {
    if (this.undos === null) return;
    const before = { ...object };
    this.undos.push(() => Object.assign(object, before));
  }

  /** Runs `change`. Its changes are kept unless it returns null or throws; then the previous state is restored. */
  attempt<T>(change: () => T | null): T | null {
    const outermost = this.undos === null;
    this.undos ??= [];
    const mark = this.undos.length;
    let result: T | null = null;
    try {
      result = change();
      return result;
    } finally {
      if (result === null) this.rollBackTo(mark);
      if (outermost) this.undos = null;
    }
  }

  /** Runs `change` and takes back everything that it changed. Throws what it throws. */
  trial<T>(change: () => T): T {
    const results: T[] = [];
    this.attempt(() => {
      results.push(change());
      return null;
    });
    return results[0] as T;
  }

  private rollBackTo(mark: number): void {
    const undos = this.undos ?? [];
    while (undos.length > mark) undos.pop()?.();
  }
}
