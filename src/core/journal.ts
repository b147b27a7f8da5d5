/**
 * Undo log for tentative changes. During an attempt every change records its undo; a failed attempt undoes all changes
 * in reverse order. Attempts may be nested. Outside of attempts nothing is recorded.
 */
export class Journal {
  private undos: (() => void)[] | null = null;
  /** The number of the innermost attempt that is under way; 0 outside of attempts. */
  private attemptNumber = 0;
  private lastAttempt = 0;

  /** Whether changes are being recorded. */
  get isOpen(): boolean {
    return this.undos !== null;
  }

  /** The attempt that is under way: what was saved in it whole need not be saved again in it. 0: there is none. */
  get attemptUnderWay(): number {
    return this.attemptNumber;
  }

  /** Records the undo of a change. An undo must not itself record changes. */
  record(undo: () => void): void {
    this.undos?.push(undo);
  }

  /** Records the current own fields of an object. Collections are kept by reference. */
  save(object: object): void {
    if (this.undos === null) return;
    const before = { ...object };
    this.undos.push(() => Object.assign(object, before));
  }

  /** Sets one field of an object and records only that. */
  set<T extends object, K extends keyof T>(object: T, field: K, value: T[K]): void {
    const before = object[field];
    if (before === value) return;
    object[field] = value;
    this.record(() => {
      object[field] = before;
    });
  }

  /** Runs `change`. Its changes are kept unless it returns null or throws; then the previous state is restored. */
  attempt<T>(change: () => T | null): T | null {
    const outermost = this.undos === null;
    this.undos ??= [];
    const mark = this.undos.length;
    const outer = this.attemptNumber;
    this.lastAttempt += 1;
    this.attemptNumber = this.lastAttempt;
    let result: T | null = null;
    try {
      result = change();
      return result;
    } finally {
      if (result === null) this.rollBackTo(mark);
      this.attemptNumber = outer;
      if (outermost) this.undos = null;
    }
  }

  /** Runs `change` and undoes its changes. Rethrows its errors. */
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
