import type { Journal } from '../journal.ts';
import type { Changes } from '../model/changes.ts';
import type { Instant, MaintenanceRecord, NodeState, NodeStateCause, NodeStateRecord } from '../model/records.ts';
import { FOREVER } from '../model/time.ts';
import type { Interval } from './node-profile.ts';
import { RemainingMachines } from './remaining-machines.ts';
import type { SlotTable } from './slot-table.ts';

const unchanged = { nodes: [], maintenance: [] };

/** Which nodes may be used when: their states, and maintenance. The slot table is kept in step with it. */
export class NodeAvailability {
  private readonly states = new Map<number, NodeState>();
  private readonly causes = new Map<number, NodeStateCause>();
  private readonly planned = new Map<string, MaintenanceRecord>();
  private changedNodes = new Set<number>();
  private changedMaintenance = new Map<string, MaintenanceRecord>();

  /** Machines that are still on nodes, as hosts report them. They are not stored. */
  readonly remaining: RemainingMachines;

  constructor(
    private readonly table: SlotTable,
    private readonly journal: Journal,
  ) {
    this.remaining = new RemainingMachines(table, journal);
  }

  stateOf(node: number): NodeState {
    return this.states.get(node) ?? 'UP';
  }

  /** The reason for the node's state; null if none was given. */
  causeOf(node: number): NodeStateCause | null {
    return this.causes.get(node) ?? null;
  }

  /** The state with its cause, as it is stored. */
  recordOf(number: number): NodeStateRecord {
    const cause = this.causes.get(number);
    return { number, state: this.stateOf(number), ...(cause && { cause }) };
  }

  setState(node: number, state: NodeState, cause: NodeStateCause | null = null): void {
    if (this.stateOf(node) === state) return;
    this.put(this.states, node, state);
    this.setCause(node, cause);
    this.keepInStep(node);
  }

  setCause(node: number, cause: NodeStateCause | null): void {
    this.put(this.causes, node, cause);
    const isNew = !this.changedNodes.has(node);
    this.changedNodes.add(node);
    if (isNew) this.journal.record(() => this.changedNodes.delete(node));
  }

  /** Maintenance that has not ended. */
  maintenance(name: string): MaintenanceRecord | undefined {
    return this.planned.get(name);
  }

  plan(maintenance: MaintenanceRecord): void {
    this.put(this.planned, maintenance.name, maintenance);
    this.note(maintenance);
    this.table.addReleaseTime(maintenance.end);
    for (const node of maintenance.nodes) this.keepInStep(node);
  }

  /** Ends maintenance before its time; what has not begun does not begin. */
  end(maintenance: MaintenanceRecord, now: Instant): void {
    this.remove(maintenance);
    this.note({ ...maintenance, end: Math.max(maintenance.start, now) });
  }

  /** Forgets maintenance that is over. Returns whether there was any. */
  expire(now: Instant): boolean {
    const over = [...this.planned.values()].filter(({ end }) => end <= now);
    for (const maintenance of over) this.remove(maintenance);
    return over.length > 0;
  }

  /** The next start or end of maintenance after an instant; null when there is none. */
  nextBoundary(after: Instant, inclusive = false): Instant | null {
    let next = FOREVER;
    for (const { start, end } of this.planned.values()) {
      for (const time of [start, end]) if (time < next && (time > after || (inclusive && time === after))) next = time;
    }
    return next === FOREVER ? null : next;
  }

  /** Starts and ends of maintenance, and ends of what remaining machines hold, in [from, to]. */
  boundaries(from: Instant, to: Instant): Instant[] {
    const maintenance = [...this.planned.values()]
      .flatMap(({ start, end }) => [start, end])
      .filter((time) => time >= from && time <= to);
    return [...maintenance, ...this.remaining.ends(from, to)];
  }

  get isIdle(): boolean {
    return this.planned.size === 0;
  }

  /** The end of the maintenance that keeps the node busy at some time in [from, to); null when none does. */
  busyUntil(node: number, from: Instant, to: Instant): Instant | null {
    let until: Instant | null = null;
    for (const { nodes, start, end } of this.planned.values())
      if (start < to && end > from && nodes.includes(node)) until = Math.max(until ?? end, end);
    return until;
  }

  restore(states: readonly NodeStateRecord[], maintenance: readonly MaintenanceRecord[]): void {
    for (const { number, state, cause } of states) {
      this.setState(number, state);
      if (cause) this.setCause(number, cause);
    }
    for (const each of maintenance) this.plan(each);
    this.changedNodes.clear();
    this.changedMaintenance.clear();
  }

  /** Nodes that are not UP or whose state has a cause. */
  get exceptional(): NodeStateRecord[] {
    const known = new Set([...this.states.keys(), ...this.causes.keys()]);
    return [...known]
      .map((number) => this.recordOf(number))
      .filter(({ state, cause }) => state !== 'UP' || cause !== undefined)
      .sort((a, b) => a.number - b.number);
  }

  get plannedMaintenance(): MaintenanceRecord[] {
    return [...this.planned.values()].sort((a, b) => a.start - b.start || (a.name < b.name ? -1 : 1));
  }

  /** What changed since this was last asked. */
  takeChanges(): Required<Pick<Changes, 'nodes' | 'maintenance'>> {
    if (this.changedNodes.size + this.changedMaintenance.size === 0) return unchanged;
    const nodes = [...this.changedNodes].sort((a, b) => a - b).map((number) => this.recordOf(number));
    const maintenance = [...this.changedMaintenance.values()];
    this.changedNodes = new Set();
    this.changedMaintenance = new Map();
    return { nodes, maintenance };
  }

  private remove(maintenance: MaintenanceRecord): void {
    this.put(this.planned, maintenance.name, null);
    this.table.removeReleaseTime(maintenance.end);
    for (const node of maintenance.nodes) this.keepInStep(node);
  }

  private note(maintenance: MaintenanceRecord): void {
    this.put(this.changedMaintenance, maintenance.name, maintenance);
  }

  private put<K, V>(map: Map<K, V>, key: K, value: V | null): void {
    const before = map.get(key);
    if (value === null) map.delete(key);
    else map.set(key, value);
    this.journal.record(() => {
      if (before === undefined) map.delete(key);
      else map.set(key, before);
    });
  }

  private keepInStep(node: number): void {
    const { now } = this.table;
    const closed: Interval[] =
      this.stateOf(node) === 'UP'
        ? merge([...this.planned.values()].filter(({ nodes }) => nodes.includes(node)))
        : [{ start: now, end: FOREVER }];
    this.table.closeNode(node, closed);
  }
}

/** Ascending, apart from each other. */
function merge(intervals: readonly Interval[]): Interval[] {
  const merged: Interval[] = [];
  for (const { start, end } of [...intervals].sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last && start <= last.end) merged[merged.length - 1] = { ...last, end: Math.max(last.end, end) };
    else merged.push({ start, end });
  }
  return merged;
}
