import type { Journal } from '../journal.ts';
import type { Instant, MaintenanceRecord, NodeState, NodeStateRecord } from '../model/records.ts';
import { FOREVER } from '../model/time.ts';
import type { Interval } from './node-profile.ts';
import type { SlotTable } from './slot-table.ts';

/** Which nodes may be used when: their states, and maintenance. The slot table is kept in step with it. */
export class NodeAvailability {
  private readonly states = new Map<number, NodeState>();
  private readonly planned = new Map<string, MaintenanceRecord>();
  private changedNodes = new Set<number>();
  private changedMaintenance = new Map<string, MaintenanceRecord>();

  constructor(
    private readonly table: SlotTable,
    private readonly journal: Journal,
  ) {}

  stateOf(node: number): NodeState {
    return this.states.get(node) ?? 'UP';
  }

  setState(node: number, state: NodeState): void {
    const before = this.stateOf(node);
    if (before === state) return;
    this.put(this.states, node, state);
    const isNew = !this.changedNodes.has(node);
    this.changedNodes.add(node);
    if (isNew) this.journal.record(() => this.changedNodes.delete(node));
    this.keepInStep(node);
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
      for (const time of [start, end])
        if (time < next && (time > after || (inclusive && time === after))) next = time;
    }
    return next === FOREVER ? null : next;
  }

  /** Starts and ends of maintenance in [from, to]. */
  boundaries(from: Instant, to: Instant): Instant[] {
    return [...this.planned.values()]
      .flatMap(({ start, end }) => [start, end])
      .filter((time) => time >= from && time <= to);
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
    for (const { number, state } of states) this.setState(number, state);
    for (const each of maintenance) this.plan(each);
    this.changedNodes.clear();
    this.changedMaintenance.clear();
  }

  /** Nodes that are not UP. */
  get exceptional(): NodeStateRecord[] {
    return [...this.states]
      .filter(([, state]) => state !== 'UP')
      .map(([number, state]) => ({ number, state }))
      .sort((a, b) => a.number - b.number);
  }

  get plannedMaintenance(): MaintenanceRecord[] {
    return [...this.planned.values()].sort((a, b) => a.start - b.start || (a.name < b.name ? -1 : 1));
  }

  /** What changed since this was last asked. */
  takeChanges(): { nodes: NodeStateRecord[]; maintenance: MaintenanceRecord[] } {
    const nodes = [...this.changedNodes]
      .sort((a, b) => a - b)
      .map((number) => ({ number, state: this.stateOf(number) }));
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
