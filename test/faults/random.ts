import { randomNumbers } from '../../bench/synthetic.ts';

/** Equal draws for equal seeds. */
export class Random {
  private readonly next: () => number;

  constructor(readonly seed: number) {
    this.next = randomNumbers(seed);
  }

  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.between(0, list.length - 1)] as T;
  }

  /** A sequence of its own: how often it is drawn from does not change what others draw. */
  fork(): Random {
    return new Random(this.between(0, 2 ** 31));
  }
}

/** The seed of a run: LEASEGRAPH_FAULT_SEED, or another one each time outside CI. */
export const faultSeed = (): number =>
  Number(process.env.LEASEGRAPH_FAULT_SEED ?? (process.env.CI ? 1 : Date.now() % 1_000_000));
