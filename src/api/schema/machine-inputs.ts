import { type MachinesSize, maxMachines } from '../limits.ts';
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

type MachineSets = readonly { readonly count: number; readonly capacity: readonly unknown[] }[];

/**
 * How many machines an input has, and how many amounts each of them at most: for the cost of operations. More machines
 * than a lease can have are refused anyway.
 */
export function sizeOf(sets: MachineSets): MachinesSize {
  return {
    machines: sets.reduce((sum, { count }) => Math.min(maxMachines, sum + Math.max(0, count)), 0),
    amounts: Math.max(0, ...sets.map(({ capacity }) => capacity.length)),
  };
}

/** The extension of a mutation that takes machines. */
export const machinesOfInput = {
  machines: ({ input }: { readonly input: { readonly machines: MachineSets } }) => sizeOf(input.machines),
};
