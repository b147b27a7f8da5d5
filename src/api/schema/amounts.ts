import type { ResourceAmount } from '../amounts.ts';
import { builder } from './builder.ts';

export const ResourceAmountType = builder.objectRef<ResourceAmount>('ResourceAmount').implement({
  description:
    'An amount of one type of resource. A list has several entries of a type that has several instances (such as the cores of a machine); one share cannot span two instances.',
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
  description: 'An amount of one type of resource. Repeat a type to ask for several instances of it.',
  fields: (t) => ({
    type: t.string({ required: true, description: "One of the site's resource types." }),
    amount: t.field({ type: 'Long', required: true, description: 'In the unit of the type.' }),
  }),
});
