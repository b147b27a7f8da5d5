import { ResourceAmountInput } from './amounts.ts';
import { builder } from './builder.ts';

export const MachineSetInput = builder.inputType('MachineSetInput', {
  description: 'A number of equal machines.',
  fields: (t) => ({
    count: t.int({ required: true, description: 'The number of machines.' }),
    capacity: t.field({
      type: [ResourceAmountInput],
      required: true,
      description: 'The capacity of each machine.',
    }),
  }),
});

export const DiskImageInput = builder.inputType('DiskImageInput', {
  description: 'The disk image from which machines start.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Its name in the image repository.' }),
    sizeMb: t.field({ type: 'Long', required: true, description: 'Its size in MB.' }),
  }),
});
