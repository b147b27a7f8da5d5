/**
 * The engine's record of what hosts hold: machines that were started or resumed and are not known to be gone.
 * Operations may take longer than planned, so a machine starts only after the previous machines have really left.
 */
import {
  type ActionKind,
  type ActionTarget,
  type Amounts,
  getOrCreate,
  type NodeSpec,
  totalAmount,
} from '../../core/index.ts';

export interface HeldMachine {
  readonly leaseId: number;
  readonly machine: number;
  readonly capacity: Amounts;
  /** The kind of the action that releases it; null while it runs as planned. */
  readonly releasing: ActionKind | null;
  /** Number of that action. */
  readonly releasedBy: number | null;
}

type Release = Pick<HeldMachine, 'releasing' | 'releasedBy'>;
type Place = Pick<ActionTarget, 'leaseId' | 'machine' | 'node'>;
export type HeldTarget = Place & Pick<ActionTarget, 'capacity'>;

const keyOf = ({ leaseId, machine }: Pick<Place, 'leaseId' | 'machine'>): string => `${leaseId}/${machine}`;

const placeOf = (place: Place): string => `${keyOf(place)}@${place.node}`;

export class HostLedger {
  private readonly nodes = new Map<number, Map<string, HeldMachine>>();
  private readonly waiting = new Map<number, Set<() => void>>();

  private readonly capacities = new Map<number, Amounts>();
  /** Releases of machines that are not there yet, by node and machine. */
  private readonly expected = new Map<string, Release>();

  /** The current nodes. */
  know(nodes: readonly NodeSpec[]): void {
    this.capacities.clear();
    for (const { number, capacity } of nodes) this.capacities.set(number, capacity);
  }

  get nodeNumbers(): readonly number[] {
    return [...this.capacities.keys()];
  }

  /** Records a machine that is present or about to be. */
  hold(target: HeldTarget): void {
    const { leaseId, machine, capacity } = target;
    const release = this.expected.get(placeOf(target)) ?? { releasing: null, releasedBy: null };
    this.on(target.node).set(keyOf(target), { leaseId, machine, capacity, ...release });
  }

  /**
   * Records the machine as soon as it may start, so that nothing else takes its capacity meanwhile. Returns false for a
   * machine that is no longer wanted and has no capacity left, because its successor is already there.
   */
  take(target: HeldTarget, isWanted: boolean): boolean {
    if (!isWanted && !this.hasRoomFor(target)) return false;
    this.hold(target);
    return true;
  }

  /** The capacity of the machine is being released, or will be once it holds any; it is held until `release`. */
  beginRelease(place: Place, releasing: ActionKind, releasedBy: number): void {
    const release = { releasing, releasedBy };
    const held = this.nodes.get(place.node);
    const machine = held?.get(keyOf(place));
    if (machine) held?.set(keyOf(place), { ...machine, ...release });
    else this.expected.set(placeOf(place), release);
  }

  /** The machine is known to have left the node. */
  release(place: Place): void {
    this.expected.delete(placeOf(place));
    const held = this.nodes.get(place.node);
    if (!held?.delete(keyOf(place))) return;
    if (held.size === 0) this.nodes.delete(place.node);
    for (const wake of [...(this.waiting.get(place.node) ?? [])]) wake();
  }

  /**
   * The machines that must leave the node before an action may start this one. Machines that run as planned never
   * block: the plan has capacity for them. Neither do machines that a later action suspends: that action may itself
   * wait for this one.
   */
  inTheWayOf(target: HeldTarget, actionId: number): readonly HeldMachine[] {
    const leaves = ({ releasing, releasedBy }: HeldMachine): boolean =>
      releasedBy !== null && (releasing !== 'SUSPEND' || releasedBy < actionId);
    const own = this.nodes.get(target.node)?.get(keyOf(target));
    // Earlier remains of the same machine are being removed.
    if (own && leaves(own)) return [own];
    return this.hasRoomFor(target) ? [] : this.othersBeside(target).filter(leaves);
  }

  /** Whether the machine fits beside what the node currently holds. */
  private hasRoomFor(target: HeldTarget): boolean {
    const capacity = this.capacities.get(target.node) ?? {};
    const others = this.othersBeside(target);
    return Object.entries(target.capacity).every(([type, needed]) => {
      if (totalAmount(needed) === 0) return true;
      const has = capacity[type] ?? 0;
      // Shares of one instance are not distinguished here: whatever is leaving must have left.
      if (typeof has !== 'number' && has.length > 1) {
        return !others.some((each) => each.releasing !== null && totalAmount(each.capacity[type] ?? 0) > 0);
      }
      const used = others.reduce((sum, each) => sum + totalAmount(each.capacity[type] ?? 0), 0);
      return used + totalAmount(needed) <= totalAmount(has);
    });
  }

  private othersBeside(target: HeldTarget): HeldMachine[] {
    const held = [...(this.nodes.get(target.node) ?? [])];
    return held.filter(([key]) => key !== keyOf(target)).map(([, machine]) => machine);
  }

  /** Whether the machine is being released on that node. */
  isReleasing(place: Place): boolean {
    return (this.nodes.get(place.node)?.get(keyOf(place))?.releasing ?? null) !== null;
  }

  /** Whether nothing on the node is waiting to be released. */
  isSettled(node: number): boolean {
    return ![...(this.nodes.get(node)?.values() ?? [])].some(({ releasing }) => releasing !== null);
  }

  /** Resolves when something on the node is released, or the signal aborts. */
  changed(node: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const waiting = getOrCreate(this.waiting, node, () => new Set());
      const finish = (): void => {
        waiting.delete(finish);
        signal.removeEventListener('abort', finish);
        resolve();
      };
      waiting.add(finish);
      signal.addEventListener('abort', finish, { once: true });
    });
  }

  clear(): void {
    this.nodes.clear();
    this.expected.clear();
  }

  private on(node: number): Map<string, HeldMachine> {
    return getOrCreate(this.nodes, node, () => new Map());
  }
}

/** For messages. */
export function namesOf(machines: readonly HeldMachine[]): string {
  return machines
    .map(({ leaseId, machine, releasing }) => `machine ${machine} of lease ${leaseId} (${releasing})`)
    .join(', ');
}
