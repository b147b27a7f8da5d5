import { nothingToPrepare, type Preparation } from './preparation.ts';

/** Images are there already, or are provided by other means. */
export const unmanaged: Preparation = {
  earliestTimes: (_lease, now) => [{ time: now, nodes: null }],
  reachable: () => null,
  reachableBy: () => null,
  planSoonest: () => nothingToPrepare,
  planByStart: () => nothingToPrepare,
  join: () => {},
  commit: () => true,
};
