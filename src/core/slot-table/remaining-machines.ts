import type { Journal } from '../journal.ts';
import { type ResourceSpace, totalAmount, type Vector } from '../model/capacity.ts';
import type { Instant, RemainingMachine } from '../model/records.ts';
import type { NodeProfile } from './node-profile.ts';
import type { SlotTable } from './slot-table.ts';

interface Held {
  readonly lease: null;
  readonly machine: RemainingMachine;
  readonly until: Instant;
}

const keyOf = ({ leaseId, machine, node }: RemainingMachine): string => `${leaseId}/${machine}@${node}`;

/**
 * What machines hold that have no reservation any more, since their lease is over, has moved or is left out, and that
 * hosts have not removed: until an instant that is put off for as long as they are there.
 */
export class RemainingMachines {
  private readonly held = new Map<string, Held>();

  constructor(
    private readonly table: SlotTable,
    private readonly journal: Journal,
  ) {}

  get isEmpty(): boolean {
    return this.held.size === 0;
  }

  isOn(node: number): boolean {
    return [...this.held.values()].some(({ machine }) => machine.node === node);
  }

  /** Until when it is held at present; null when it is not. */
  heldUntil(machine: RemainingMachine): Instant | null {
    return this.held.get(keyOf(machine))?.until ?? null;
  }

  /** The instants in [from, to] to which machines are held. */
  ends(from: Instant, to: Instant): Instant[] {
    return [...this.held.values()].map(({ until }) => until).filter((time) => time >= from && time <= to);
  }

  /** What the machine holds on its node; null on a node that does not exist. */
  amountsOf({ capacity, node }: RemainingMachine): Vector | null {
    const profile = this.table.nodes[node];
    return profile && node > 0 ? heldOn(profile, capacity, this.table.space) : null;
  }

  /** Holds the machine from now on. */
  hold(machine: RemainingMachine, until: Instant): void {
    const amounts = this.amountsOf(machine);
    if (!amounts) return;
    this.release(machine);
    const held = { lease: null, machine, until };
    this.table.hold(held, machine.node, amounts, until);
    this.put(held);
    this.journal.record(() => this.held.delete(keyOf(machine)));
  }

  /** Releases all but these. Returns the nodes of the others. */
  keepOnly(machines: readonly RemainingMachine[]): ReadonlySet<number> {
    const kept = new Set(machines.map(keyOf));
    const gone = [...this.held].filter(([key]) => !kept.has(key));
    for (const [, { machine }] of gone) this.release(machine);
    return new Set(gone.map(([, { machine }]) => machine.node));
  }

  private release(machine: RemainingMachine): void {
    const held = this.held.get(keyOf(machine));
    if (!held) return;
    this.table.release(held, machine.node, held.until);
    this.held.delete(keyOf(machine));
    this.journal.record(() => this.put(held));
  }

  private put(held: Held): void {
    this.held.set(keyOf(held.machine), held);
  }
}

/** Which instances of a type a machine has is not known: all of the node are held. */
function heldOn(
  { capacity }: NodeProfile,
  needed: RemainingMachine['capacity'],
  { types, zero }: ResourceSpace,
): Vector {
  const amounts = [...zero];
  for (const { instances, name, offset } of types) {
    const amount = totalAmount(needed[name]);
    if (amount === 0) continue;
    for (let d = offset; d < offset + instances; d += 1)
      amounts[d] = instances === 1 ? amount : (capacity[d] as number);
  }
  return amounts;
}
