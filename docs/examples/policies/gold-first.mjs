/**
 * Preemption: advance reservations called `gold/…` put aside best-effort leases that are not; those first that have least to lose.
 *
 * @type {import('../../../src/core/index.ts').PreemptionPolicy}
 */
export default {
  preempts: (preemptor) => preemptor.type === 'ADVANCE_RESERVATION' && isGold(preemptor),

  score(_preemptor, preemptee) {
    if (preemptee.type !== 'BEST_EFFORT' || isGold(preemptee)) return -1;
    return 1 - preemptee.accumulated / preemptee.duration;
  },
};

const isGold = ({ name }) => name?.startsWith('gold/') ?? false;
