import { SchedulerError } from '../errors.ts';
import { machineOrder } from '../mapping/machine-order.ts';
import { type Need, type ResourceSpace, totalAmount } from '../model/capacity.ts';
import type { Demand } from '../model/lease.ts';
import type { Amounts } from '../model/records.ts';

type Machines = readonly Amounts[];

// Leases of a trace share lists of machines; each list is computed once.
const demands = new WeakMap<ResourceSpace, WeakMap<Machines, Demand>>();

/** The demand of a lease's machines. Throws INVALID_REQUEST for an unknown resource type. */
export const demandOf = (space: ResourceSpace, machines: Machines): Demand => {
  let known = demands.get(space);
  if (!known) {
    known = new WeakMap();
    demands.set(space, known);
  }
  let demand = known.get(machines);
  if (!demand) {
    demand = workOut(space, machines);
    known.set(machines, demand);
  }
  return demand;
};

/** Equal machines share one need. */
const workOut = (space: ResourceSpace, machines: Machines): Demand => {
  const nothing: Need = { vector: space.zero, used: [], shares: [] };
  const needs = [nothing];
  const byAmounts = new Map<Amounts, Need>();
  const byText = new Map<string, Need>();
  const counts = new Map<Need, number>();
  machines.forEach((amounts, index) => {
    let need = byAmounts.get(amounts);
    if (!need) {
      const text = JSON.stringify(amounts);
      need = byText.get(text) ?? needOf(() => space.need(amounts), index);
      byText.set(text, need);
      byAmounts.set(amounts, need);
    }
    needs.push(need);
    counts.set(need, (counts.get(need) ?? 0) + 1);
  });
  const totals = space.types.map(() => 0);
  for (const [need, count] of counts) {
    space.needTotals(need).forEach((amount, type) => {
      totals[type] = (totals[type] as number) + amount * count;
    });
  }
  const uniform = counts.size === 1 && (needs[1] as Need).shares.length === 0;
  const memory = [0, ...machines.map((amounts) => totalAmount(amounts.Memory))];
  const mappingOrder = uniform ? machines.map((_amounts, index) => index + 1) : machineOrder(space, needs);
  return { needs, memory, mappingOrder, totals, uniform };
};

const needOf = (make: () => Need, index: number): Need => {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof SchedulerError)) throw error;
    throw new SchedulerError(error.code, `Machine ${index + 1} is not possible on this site. ${error.message}`, [
      'machines',
      String(index),
      ...error.path,
    ]);
  }
};
