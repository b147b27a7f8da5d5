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
  /** The actions that will free it, ascending; none while it runs as planned. */
  readonly releases: readonly Release[];
}

interface Release {
  readonly kind: ActionKind;
  /** The number of the action. */
  readonly id: number;
}

type Place = Pick<ActionTarget, 'leaseId' | 'machine' | 'node'>;
export type HeldTarget = Place & Pick<ActionTarget, 'capacity'>;
type Machine = Omit<HeldMachine, 'releases'>;

/** Identifies a machine on a node. */
export const keyAt = ({ leaseId, machine, node }: Place): string => `${leaseId}/${machine}@${node}`;
const keyOf = ({ leaseId, machine }: Pick<Place, 'leaseId' | 'machine'>): string => `${leaseId}/${machine}`;

export class HostLedger {
  /** By node and machine. */
  private readonly nodes = new Map<number, Map<string, Machine>>();
  /** Machines that are being freed, or will be: some of them have yet to come. */
  private readonly leaving = new Map<number, Map<string, HeldMachine>>();
  private readonly waiting = new Map<number, Set<() => void>>();
  private readonly capacities = new Map<number, Amounts>();

  /** The current nodes. */
  know(nodes: readonly NodeSpec[]): void {
    this.capacities.clear();
    for (const { number, capacity } of nodes) this.capacities.set(number, capacity);
  }

  get nodeNumbers(): readonly number[] {
    return [...this.capacities.keys()];
  }

  /** The machine is there, or is about to be. */
  hold({ capacity, leaseId, machine, node }: HeldTarget): void {
    const key = keyOf({ leaseId, machine });
    getOrCreate(this.nodes, node, () => new Map()).set(key, { leaseId, machine, capacity });
  }

  /**
   * Records the machine as soon as it may start, so that nothing else takes its capacity meanwhile. Returns false for a
   * machine that is no longer wanted and has no capacity left, because its successor is already there.
   */
  take(target: HeldTarget, isWanted: boolean): boolean {
    if (!isWanted && !this.hasRoomFor(target, this.othersBeside(target, 0))) return false;
    this.hold(target);
    return true;
  }

  /** An action frees what the machine holds, or will as soon as it holds something; it holds it until `release`. */
  beginRelease({ capacity, leaseId, machine, node }: HeldTarget, kind: ActionKind, id: number): void {
    const key = keyOf({ leaseId, machine });
    const leaving = getOrCreate(this.leaving, node, () => new Map());
    const releases = [...(leaving.get(key)?.releases ?? []), { kind, id }].sort((a, b) => a.id - b.id);
    leaving.set(key, { leaseId, machine, capacity, releases });
  }

  /** An action has freed the machine: it is known to be gone from the node. What frees it later is still to come. */
  release(place: Place, actionId: number): void {
    const held = this.nodes.get(place.node);
    held?.delete(keyOf(place));
    if (held?.size === 0) this.nodes.delete(place.node);
    this.keepReleases(place, ({ id }) => id > actionId);
  }

  /** An action was given up before it freed the machine. */
  endRelease(place: Place, actionId: number): void {
    this.keepReleases(place, ({ id }) => id !== actionId);
  }

  private keepReleases(place: Place, isKept: (release: Release) => boolean): void {
    const leaving = this.leaving.get(place.node);
    const machine = leaving?.get(keyOf(place));
    const releases = machine?.releases.filter(isKept) ?? [];
    if (machine && releases.length > 0) leaving?.set(keyOf(place), { ...machine, releases });
    else leaving?.delete(keyOf(place));
    if (leaving?.size === 0) this.leaving.delete(place.node);
    for (const wake of [...(this.waiting.get(place.node) ?? [])]) wake();
  }

  /**
   * The machines that must leave the node before an action may start this one; empty when it may. Machines that run as
   * planned are never in the way: the plan has room for them. Neither are those that a later action suspends: it may
   * itself wait for this one. Those that have yet to come are in the way of what was planned after they leave. What is
   * left of the machine itself, such as its saved memory, is in the way until it has been removed as planned earlier.
   */
  inTheWayOf(target: HeldTarget, actionId: number): readonly HeldMachine[] {
    const leaves = ({ releases }: HeldMachine): boolean =>
      releases.some(({ id, kind }) => kind !== 'SUSPEND' || id < actionId);
    const isThere = this.nodes.get(target.node)?.has(keyOf(target)) ?? false;
    const own = this.leaving.get(target.node)?.get(keyOf(target));
    if (own && (isThere ? leaves(own) : isRemovedBefore(own, actionId))) return [own];
    const others = this.othersBeside(target, actionId);
    return this.hasRoomFor(target, others) ? [] : others.filter(leaves);
  }

  /** Whether the machine fits beside others. */
  private hasRoomFor(target: HeldTarget, others: readonly HeldMachine[]): boolean {
    const capacity = this.capacities.get(target.node) ?? {};
    return Object.entries(target.capacity).every(([type, needed]) => {
      if (totalAmount(needed) === 0) return true;
      const has = capacity[type] ?? 0;
      // Shares of one instance are not distinguished here: whatever is leaving must have left.
      if (typeof has !== 'number' && has.length > 1) {
        return !others.some((each) => each.releases.length > 0 && totalAmount(each.capacity[type] ?? 0) > 0);
      }
      const used = others.reduce((sum, each) => sum + totalAmount(each.capacity[type] ?? 0), 0);
      return used + totalAmount(needed) <= totalAmount(has);
    });
  }

  /** What the node holds, and what will have come and left by the time of an action. */
  private othersBeside(target: HeldTarget, actionId: number): HeldMachine[] {
    const held = this.nodes.get(target.node);
    const leaving = this.leaving.get(target.node);
    const present = [...(held ?? [])].map(
      ([key, machine]) => [key, leaving?.get(key) ?? { ...machine, releases: [] }] as const,
    );
    const expected = [...(leaving ?? [])].filter(
      ([key, { releases }]) => !held?.has(key) && releases.some(({ id }) => id < actionId),
    );
    return [...present, ...expected].filter(([key]) => key !== keyOf(target)).map(([, machine]) => machine);
  }

  /** Whether the machine is being released on that node. */
  isReleasing(place: Place): boolean {
    const isHeld = this.nodes.get(place.node)?.has(keyOf(place)) ?? false;
    return isHeld && (this.leaving.get(place.node)?.has(keyOf(place)) ?? false);
  }

  /**
   * What an action that frees a machine has yet to free: what the machine holds, or nothing if only files of it are
   * left. Null when it is gone.
   */
  remainder(place: Place, actionId: number): Amounts | null {
    const own = this.leaving.get(place.node)?.get(keyOf(place));
    if (!own?.releases.some(({ id }) => id === actionId)) return null;
    return this.nodes.get(place.node)?.get(keyOf(place))?.capacity ?? {};
  }

  /** Whether nothing on the node is waiting to be released or removed. */
  isSettled(node: number): boolean {
    const held = this.nodes.get(node);
    const leaving = [...(this.leaving.get(node) ?? [])];
    return !leaving.some(([key, machine]) => held?.has(key) || isRemovedBefore(machine, Number.POSITIVE_INFINITY));
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
    this.leaving.clear();
  }
}

/** Whether what is left of a machine is to be removed by an action before another one. */
function isRemovedBefore({ releases }: HeldMachine, actionId: number): boolean {
  return releases.some(({ id, kind }) => kind === 'DESTROY' && id < actionId);
}

/** For messages. */
export function namesOf(machines: readonly HeldMachine[]): string {
  return machines
    .map(({ leaseId, machine, releases }) => `machine ${machine} of lease ${leaseId} (${releases[0]?.kind})`)
    .join(', ');
}
