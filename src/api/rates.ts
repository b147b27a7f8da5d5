/** Measured rates of hosts, for operations that the scheduler plans with rates. */
import type { ActionKind, ActionRecord, Millis } from '../core/index.ts';

export interface MeasuredAction {
  readonly kind: ActionKind;
  readonly targets: ActionRecord['targets'];
  /** Real time from the first call to the end. */
  readonly duration: Millis;
}

/** Measured rate of a node's host for a kind of action. */
export interface MeasuredRate {
  readonly kind: ActionKind;
  readonly count: number;
  /** Minimum and median rate, MB/s. */
  readonly min: number;
  readonly median: number;
}

/** MB moved by an action per machine: memory or image. */
const sizes: Partial<Record<ActionKind, (target: ActionRecord['targets'][number]) => number>> = {
  PREPARE: ({ image }) => image?.sizeMb ?? 0,
  SUSPEND: ({ capacity }) => sumOf(capacity.Memory),
  RESUME: ({ capacity }) => sumOf(capacity.Memory),
  MIGRATE: ({ capacity, image }) => sumOf(capacity.Memory) + (image?.sizeMb ?? 0),
};

export const measuredKinds = Object.keys(sizes) as readonly ActionKind[];

/** By kind. An action counts with what it moved on the node. */
export function ratesOf(node: number, actions: readonly MeasuredAction[]): readonly MeasuredRate[] {
  const rates = new Map<ActionKind, number[]>();
  for (const { kind, targets, duration } of actions) {
    const sizeOf = sizes[kind];
    const megabytes = targets.reduce((sum, each) => sum + (each.node === node ? (sizeOf?.(each) ?? 0) : 0), 0);
    if (megabytes === 0 || duration <= 0) continue;
    rates.set(kind, [...(rates.get(kind) ?? []), megabytes / (duration / 1_000)]);
  }
  return measuredKinds.flatMap((kind) => {
    const sorted = (rates.get(kind) ?? []).toSorted((a, b) => a - b);
    const [min] = sorted;
    if (min === undefined) return [];
    return [{ kind, count: sorted.length, min, median: sorted[(sorted.length - 1) >> 1] ?? min }];
  });
}

function sumOf(amount: number | readonly number[] = 0): number {
  return typeof amount === 'number' ? amount : amount.reduce((sum, each) => sum + each, 0);
}
