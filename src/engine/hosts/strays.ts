import type { Logger } from 'pino';
import type { ActionTarget, Instant, LeaseRecord } from '../../core/index.ts';
import type { HostedMachine } from '../ports.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { StrayMachine } from './host-facts.ts';
import type { HostLedger } from './ledger.ts';
import { type ActionReport, noReport } from './report.ts';

export interface LeasesInUse {
  /** A live lease; null when there is none. */
  readonly lease: (id: number) => LeaseRecord | null;
  /** Whether the lease is quarantined: its machines stay until an operator decides. */
  readonly isQuarantined: (id: number) => boolean;
}

export interface StrayOptions {
  readonly dispatcher: Pick<Dispatcher, 'isBusyWith'>;
  readonly ledger: Pick<HostLedger, 'isReleasing'>;
  readonly leases: LeasesInUse;
  /** Whether strays are removed or only reported. */
  readonly removeStrays: boolean;
  readonly log: Logger;
  readonly now: () => Instant;
  readonly report: (report: ActionReport) => void;
}

const nameOf = ({ leaseId, machine, node }: HostedMachine): string => `${leaseId}/${machine} on ${node}`;

/** Stray machines: machines on hosts that belong to no lease. */
export class Strays {
  /**
   * Candidates of the previous inspection by node, and when each was first found. A machine is a stray only if it is
   * found twice, since operations may be in progress.
   */
  private readonly found = new Map<number, ReadonlyMap<string, Instant>>();
  /** By node and name. */
  private readonly reported = new Map<number, Map<string, StrayMachine>>();

  constructor(private readonly options: StrayOptions) {}

  get count(): number {
    return [...this.reported.values()].reduce((sum, { size }) => sum + size, 0);
  }

  on(node: number): readonly StrayMachine[] {
    return [...(this.reported.get(node)?.values() ?? [])];
  }

  /** Processes the machines that a host reported. */
  listed(node: number, machines: readonly HostedMachine[]): void {
    const { log, now, removeStrays, report } = this.options;
    const strays = machines.filter((each) => this.belongsNowhere(each));
    const before = this.found.get(node) ?? new Map<string, Instant>();
    const found = new Map(strays.map((each) => [nameOf(each), before.get(nameOf(each)) ?? now()]));
    this.found.set(node, found);
    const reported = this.reported.get(node) ?? new Map<string, StrayMachine>();
    for (const name of reported.keys()) if (!found.has(name)) reported.delete(name);
    for (const stray of strays) {
      const { leaseId, machine, status } = stray;
      const name = nameOf(stray);
      const since = before.get(name);
      if (since === undefined) continue;
      const isKnown = reported.has(name);
      reported.set(name, { leaseId, machine, status, since, isRemoved: removeStrays });
      if (isKnown) continue;
      const fields = { lease: leaseId, machine, node, status };
      log.warn(fields, `a machine belongs to no lease${removeStrays ? ' and is removed' : ''}`);
      if (removeStrays) report({ ...noReport, remove: [targetOf(stray)] });
    }
    if (reported.size > 0) this.reported.set(node, reported);
    else this.reported.delete(node);
  }

  private belongsNowhere(place: HostedMachine): boolean {
    const { leaseId, machine, node } = place;
    const { dispatcher, leases, ledger } = this.options;
    if (leases.isQuarantined(leaseId) || dispatcher.isBusyWith(leaseId) || ledger.isReleasing(place)) return false;
    const record = leases.lease(leaseId);
    if (!record) return true;
    return ![record.mapping, record.memoryAt, record.diskAt].some((where) => where?.[machine] === node);
  }
}

function targetOf({ leaseId, machine, node }: HostedMachine): ActionTarget {
  return { leaseId, machine, node, toNode: null, capacity: {}, image: null };
}
