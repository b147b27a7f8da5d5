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

/** What is left of a capacity. Shares of a type with several instances go to the first that has enough left, as the scheduler does it. */
export function remaining(capacity: Amounts, held: readonly Amounts[]): Amounts {
  const left: Record<string, number | number[]> = {};
  for (const [type, quantity] of Object.entries(capacity)) {
    const instances = typeof quantity === 'number' ? [quantity] : [...quantity];
    for (const shares of held) {
      for (const share of [shares[type] ?? 0].flat()) {
        const fitting = Math.max(
          0,
          instances.findIndex((free) => free >= share),
        );
        instances[fitting] = Math.max(0, (instances[fitting] ?? 0) - share);
      }
    }
    left[type] = typeof quantity === 'number' ? (instances[0] ?? 0) : instances;
  }
  return left;
}
