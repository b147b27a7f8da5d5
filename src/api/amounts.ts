import type { Amounts } from '../core/index.ts';
import { builder } from './builder.ts';

export interface ResourceAmount {
  readonly type: string;
  readonly amount: number;
}

export const ResourceAmountType = builder.objectRef<ResourceAmount>('ResourceAmount').implement({
  description:
    'How much there is of one type of resource. A list names a type several times where there are several instances of it (such as the cores of a machine), over which one share may not straddle.',
  fields: (t) => ({
    type: t.exposeString('type', { description: 'Such as CPU (percent of a core) or Memory (MB).' }),
    amount: t.field({
      type: 'Long',
      description: 'In the unit of the type.',
      resolve: ({ amount }) => amount,
    }),
  }),
});

export const ResourceAmountInput = builder.inputType('ResourceAmountInput', {
  description:
    'How much is wanted of one type of resource. Name a type several times for several instances of it.',
  fields: (t) => ({
    type: t.string({ required: true, description: "One of the site's resource types." }),
    amount: t.field({ type: 'Long', required: true, description: 'In the unit of the type.' }),
  }),
});

/** Amounts as the API shows them: one entry an instance. */
export const amountList = (amounts: Amounts): ResourceAmount[] =>
  Object.entries(amounts).flatMap(([type, quantity]) =>
    typeof quantity === 'number'
      ? [{ type, amount: quantity }]
      : quantity.map((amount) => ({ type, amount })),
  );

/** The other way round. The entries' types and amounts must have been checked. */
export function amountsOf(list: readonly ResourceAmount[]): Amounts {
  const amounts: Record<string, number | number[]> = {};
  for (const { type, amount } of list) {
    const before = amounts[type];
    amounts[type] = before === undefined ? amount : [...(Array.isArray(before) ? before : [before]), amount];
  }
  return amounts;
}

/** What is left of a capacity. What is held of a type with several instances says how much of which. */
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
