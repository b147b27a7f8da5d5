/** How fast hosts really did what the scheduler plans with rates. */
import type { ActionKind, ActionRecord, Millis } from '../core/index.ts';

export interface MeasuredAction {
  readonly kind: ActionKind;
  readonly targets: ActionRecord['targets'];
  /** Real time from the first call of a host to the end. */
  readonly duration: Millis;
}

export interface NodeRate {
  readonly node: number;
  readonly kind: ActionKind;
  readonly count: number;
  /** MB/s: of the slowest action, and of the one in the middle. */
  readonly min: number;
  readonly median: number;
}

/** MB that an action moves for a machine: its memory, or its image. */
const sizes: Partial<Record<ActionKind, (target: ActionRecord['targets'][number]) => number>> = {
  PREPARE: ({ image }) => image?.sizeMb ?? 0,
  SUSPEND: ({ capacity }) => sumOf(capacity.Memory),
  RESUME: ({ capacity }) => sumOf(capacity.Memory),
  MIGRATE: ({ capacity, image }) => sumOf(capacity.Memory) + (image?.sizeMb ?? 0),
};

export const measuredKinds = Object.keys(sizes) as readonly ActionKind[];

/** By node and kind. An action counts for each of its nodes with what it moved there. */
export function ratesOf(actions: readonly MeasuredAction[]): readonly NodeRate[] {
  const rates = new Map<string, { node: number; kind: ActionKind; values: number[] }>();
  for (const { kind, targets, duration } of actions) {
    const sizeOf = sizes[kind];
    if (!sizeOf || duration <= 0) continue;
    const moved = new Map<number, number>();
    for (const target of targets) moved.set(target.node, (moved.get(target.node) ?? 0) + sizeOf(target));
    for (const [node, megabytes] of moved) {
      if (megabytes === 0) continue;
      const key = `${node} ${kind}`;
      const entry = rates.get(key) ?? { node, kind, values: [] };
      entry.values.push(megabytes / (duration / 1_000));
      rates.set(key, entry);
    }
  }
  return [...rates.values()]
    .sort((a, b) => a.node - b.node || measuredKinds.indexOf(a.kind) - measuredKinds.indexOf(b.kind))
    .map(({ node, kind, values }) => {
      const sorted = values.toSorted((a, b) => a - b);
      const [min = 0] = sorted;
      return { node, kind, count: sorted.length, min, median: sorted[(sorted.length - 1) >> 1] ?? min };
    });
}

const sumOf = (amount: number | readonly number[] = 0): number =>
  typeof amount === 'number' ? amount : amount.reduce((sum, each) => sum + each, 0);
