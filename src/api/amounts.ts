import type { Amounts } from '../core/index.ts';

/** One entry of a list of amounts: one per instance. */
export interface ResourceAmount {
  readonly type: string;
  readonly amount: number;
}

/** Amounts in API form: one entry per instance. */
export function amountList(amounts: Amounts): ResourceAmount[] {
  return Object.entries(amounts).flatMap(([type, quantity]) =>
    typeof quantity === 'number' ? [{ type, amount: quantity }] : quantity.map((amount) => ({ type, amount })),
  );
}

/** The inverse of amountList. The entries must have been validated. */
export function amountsOf(list: readonly ResourceAmount[]): Amounts {
  const amounts: Record<string, number | number[]> = {};
  for (const { type, amount } of list) {
    const before = amounts[type];
    amounts[type] = before === undefined ? amount : [...(Array.isArray(before) ? before : [before]), amount];
  }
  return amounts;
}

/** Capacity minus held amounts, per instance for multi-instance types. */
export function remaining(capacity: Amounts, held: readonly Amounts[]): Amounts {
  const heldOf = (type: string, instance: number) =>
    held.reduce((sum, amounts) => sum + ([amounts[type] ?? 0].flat()[instance] ?? 0), 0);
  return Object.fromEntries(
    Object.entries(capacity).map(([type, quantity]) => {
      const left = [quantity].flat().map((all, instance) => Math.max(0, all - heldOf(type, instance)));
      return [type, typeof quantity === 'number' ? (left[0] ?? 0) : left];
    }),
  );
}
