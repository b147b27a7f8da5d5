/**
 * Host selection: the node that is used most comes first, so that others stay empty and can be switched off.
 *
 * @type {import('../../../src/core/index.ts').HostSelectionPolicy}
 */
export default {
  score(host) {
    const capacity = total(host.capacity.CPU);
    return capacity > 0 ? 1 - total(host.free.CPU) / capacity : 0;
  },
};

/** An amount may come as one number, or as several instances; a type that is not mentioned is 0. */
const total = (amount = 0) => (typeof amount === 'number' ? amount : amount.reduce((all, each) => all + each, 0));
