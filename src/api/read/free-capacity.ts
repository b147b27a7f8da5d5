import type { Amounts, Instant } from '../../core/index.ts';
import { remaining } from '../amounts.ts';
import type { Holding } from './nodes.ts';

/** The free capacity of a node, constant over [start, end). */
export interface FreeCapacity {
  readonly start: Instant;
  readonly end: Instant;
  readonly amounts: Amounts;
}

/** Free capacity over [from, to), in order; consecutive entries differ. */
export function freeCapacity(
  capacity: Amounts,
  holdings: readonly Pick<Holding, 'start' | 'end' | 'amounts'>[],
  from: Instant,
  to: Instant,
): FreeCapacity[] {
  const starts = holdings.map((holding) => ({ at: Math.max(from, holding.start.getTime()), holding }));
  const ends = holdings.map((holding) => ({ at: Math.min(to, holding.end.getTime()), holding }));
  starts.sort((a, b) => a.at - b.at);
  ends.sort((a, b) => a.at - b.at);
  const changes = [...new Set([from, ...starts.map(({ at }) => at), ...ends.map(({ at }) => at), to])].sort(
    (a, b) => a - b,
  );
  const held = new Set<Amounts>();
  const intervals: FreeCapacity[] = [];
  let [nextStart, nextEnd] = [0, 0];
  for (const [index, start] of changes.entries()) {
    const end = changes[index + 1];
    if (end === undefined) break;
    for (let each = ends[nextEnd]; each && each.at <= start; each = ends[++nextEnd]) {
      held.delete(each.holding.amounts);
    }
    for (let each = starts[nextStart]; each && each.at <= start; each = starts[++nextStart]) {
      held.add(each.holding.amounts);
    }
    const amounts = remaining(capacity, [...held]);
    const last = intervals.at(-1);
    if (last && isEqual(last.amounts, amounts)) intervals[intervals.length - 1] = { ...last, end };
    else intervals.push({ start, end, amounts });
  }
  return intervals;
}

function isEqual(a: Amounts, b: Amounts): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
