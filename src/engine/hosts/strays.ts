import type { Logger } from 'pino';
import type { ActionTarget, LeaseRecord } from '../../core/index.ts';
import type { HostedMachine } from '../ports.ts';
import type { Dispatcher } from './dispatcher.ts';
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
  readonly report: (report: ActionReport) => void;
}

const nameOf = ({ leaseId, machine, node }: HostedMachine): string => `${leaseId}/${machine} on ${node}`;

/** Stray machines: machines on hosts that belong to no lease. */
export class Strays {
  /**
   * Candidates of the previous inspection by node. A machine is a stray only if it is found twice, since operations may
   * be in progress.
   */
  private readonly found = new Map<number, Set<string>>();
  private readonly reported = new Set<string>();

  constructor(private readonly options: StrayOptions) {}

  get count(): number {
    return this.reported.size;
  }

  /** Processes the machines that a host reported. */
  listed(node: number, machines: readonly HostedMachine[]): void {
    const { log, removeStrays, report } = this.options;
    const strays = machines.filter((each) => this.belongsNowhere(each));
    const before = this.found.get(node) ?? new Set();
    const now = new Set(strays.map(nameOf));
    this.found.set(node, now);
    for (const name of before) if (!now.has(name)) this.reported.delete(name);
    for (const stray of strays) {
      const name = nameOf(stray);
      if (!before.has(name) || this.reported.has(name)) continue;
      this.reported.add(name);
      const { leaseId, machine, status } = stray;
      const fields = { lease: leaseId, machine, node, status };
      log.warn(fields, `a machine belongs to no lease${removeStrays ? ' and is removed' : ''}`);
      if (removeStrays) report({ ...noReport, remove: [targetOf(stray)] });
    }
  }

  private belongsNowhere(place: HostedMachine): boolean {
    const { leaseId, machine, node } = place;
    const { dispatcher, leases, ledger } = this.options;
    if (leases.isQuarantined(leaseId) || dispatcher.isBusyWith(leaseId) || ledger.isReleasing(place))
      return false;
    const record = leases.lease(leaseId);
    if (!record) return true;
    return ![record.mapping, record.memoryAt, record.diskAt].some((where) => where?.[machine] === node);
  }
}

function targetOf({ leaseId, machine, node }: HostedMachine): ActionTarget {
  return { leaseId, machine, node, toNode: null, capacity: {}, image: null };
}
