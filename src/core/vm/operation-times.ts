import type { Mapping } from '../model/lease.ts';
import type { Instant, Millis } from '../model/records.ts';

/** Machines that are saved, or restored, together. */
export interface Operation {
  readonly start: Instant;
  readonly end: Instant;
  readonly machines: readonly number[];
}

interface Span {
  start: Instant;
  end: Instant;
  machines: number[];
}

export interface OperationPlan {
  readonly mapping: Mapping;
  /** How long each machine takes; index 0 is not used. */
  readonly times: readonly Millis[];
  readonly overhead: Millis;
}

/** One operation at a time on the whole site, from `from` on, machines ascending. */
export const globalForward = ({ times, overhead }: OperationPlan, from: Instant): Operation[] => {
  let at = from;
  return times.slice(1).map((time, index) => {
    const start = at;
    at = start + time + overhead;
    return { start, end: at, machines: [index + 1] };
  });
};

/** One operation at a time on the whole site, the last one ending at `until`: the first machine comes last. */
export const globalBackward = ({ times, overhead }: OperationPlan, until: Instant): Operation[] => {
  let at = until;
  const operations = times.slice(1).map((time, index) => {
    const end = at;
    at = end - time - overhead;
    return { start: at, end, machines: [index + 1] };
  });
  return inChainOrder(operations);
};

/** One operation at a time on each node, from `from` on. */
export const localForward = (plan: OperationPlan, from: Instant): Operation[] => {
  const groups = groupBySpan(
    plan,
    (at, time) => [at, at + time],
    from,
    (span) => span.end,
  );
  for (const group of groups) group.end += plan.overhead * group.machines.length;
  groups.sort((a, b) => a.start - b.start || a.end - b.end);
  let previousEnd = Number.NEGATIVE_INFINITY;
  for (const group of groups) {
    const shift = Math.max(0, previousEnd - group.start);
    group.start += shift;
    group.end += shift;
    previousEnd = group.end;
  }
  return inChainOrder(groups);
};

/** One operation at a time on each node, the last ones ending at `until`. */
export const localBackward = (plan: OperationPlan, until: Instant): Operation[] => {
  const groups = groupBySpan(
    plan,
    (at, time) => [at - time, at],
    until,
    (span) => span.start,
  );
  for (const group of groups) group.start -= plan.overhead * group.machines.length;
  groups.sort((a, b) => b.end - a.end || b.start - a.start);
  let previousStart = Number.POSITIVE_INFINITY;
  for (const group of groups) {
    const shift = Math.max(0, group.end - previousStart);
    group.start -= shift;
    group.end -= shift;
    previousStart = group.start;
  }
  return inChainOrder(groups);
};

/** On each node the machines one after the other; operations of any nodes with equal times form one group. */
const groupBySpan = (
  { mapping, times }: OperationPlan,
  span: (at: Instant, time: Millis) => [Instant, Instant],
  origin: Instant,
  next: (span: Span) => Instant,
): Span[] => {
  const cursor = new Map<number, Instant>();
  const groups = new Map<string, Span>();
  const machines = mapping.map((_node, machine) => machine).slice(1);
  // Nodes ascending, machines ascending within a node.
  machines.sort((a, b) => (mapping[a] as number) - (mapping[b] as number) || a - b);
  for (const machine of machines) {
    const node = mapping[machine] as number;
    const [start, end] = span(cursor.get(node) ?? origin, times[machine] as Millis);
    const key = `${start} ${end}`;
    const group = groups.get(key);
    if (group) group.machines.push(machine);
    else groups.set(key, { start, end, machines: [machine] });
    cursor.set(node, next({ start, end, machines: [] }));
  }
  return [...groups.values()];
};

/**
 * Order in the chain: by (start, end), stable, so that an operation of no length precedes the one that starts with it
 * (R67).
 */
function inChainOrder<T extends Operation>(operations: T[]): T[] {
  return operations.sort((a, b) => a.start - b.start || a.end - b.end);
}
