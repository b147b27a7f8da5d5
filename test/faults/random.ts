import { randomNumbers } from '../../bench/synthetic.ts';

/** A generator with equal numbers for equal seeds. */
export class Random {
  private readonly next: () => number;

  constructor(readonly seed: number) {
    this.next = randomNumbers(seed);
  }

  /** An integer from `min` to `max`, both inclusive. */
  between(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.between(0, list.length - 1)] as T;
  }

  /** A separate sequence, which is independent of other draws. */
  fork(): Random {
    return new Random(this.between(0, 2 ** 31));
  }
}

/** The seed of a run: LEASEGRAPH_FAULT_SEED, or a random one outside CI. */
export const faultSeed = (): number =>
  Number(process.env.LEASEGRAPH_FAULT_SEED ?? (process.env.CI ? 1 : Date.now() % 1_000_000));
