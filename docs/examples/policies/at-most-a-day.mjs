/**
 * Admission: nobody takes more than a day, or more than half of the site's CPU at once. Leases of `operators/…` are let in whatever they ask for.
 *
 * @type {import('../../../src/core/index.ts').AdmissionPolicy}
 */
export default {
  admit(lease, { site }) {
    if (lease.name?.startsWith('operators/')) return null;
    if (lease.duration > DAY)
      return { code: 'TOO_LONG', message: `it lasts ${lease.duration / HOUR} hours, and 24 are the most` };
    const wanted = sum(lease.machines.map(({ CPU }) => total(CPU)));
    const half = sum(site.nodes.map(({ capacity }) => total(capacity.CPU))) / 2;
    return wanted > half
      ? { code: 'TOO_LARGE', message: `it asks for CPU ${wanted}, and ${half} is the most for one lease` }
      : null;
  },
};

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const sum = (numbers) => numbers.reduce((all, number) => all + number, 0);

/** An amount may come as one number, or as several instances; a type that is not mentioned is 0. */
const total = (amount = 0) => (typeof amount === 'number' ? amount : sum(amount));
