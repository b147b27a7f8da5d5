/** The engine's side of enactment: actions for hosts, the record of what hosts hold, and reports from hosts. */
import type { Logger } from 'pino';
import type {
  ActionRecord,
  CachedImageRecord,
  Changes,
  Instant,
  LeaseRecord,
  NodeSpec,
  NodeStateRecord,
  RemainingMachine,
  SiteSpec,
} from '../../core/index.ts';
import { linkedController } from '../async.ts';
import type { Clock } from '../clock.ts';
import type { HostControl } from '../commands/command.ts';
import type { EngineLimits } from '../limits.ts';
import type { EngineMetrics } from '../metrics.ts';
import type { Adapter, LeaseFacts } from '../ports.ts';
import type { LeaseRemains } from '../remains.ts';
import type { LeaseTraces, Tracing } from '../tracing.ts';
import { Admission } from './admission.ts';
import { Dispatcher } from './dispatcher.ts';
import { guarded } from './guarded.ts';
import { HostHealth } from './health.ts';
import type { HostFacts } from './host-facts.ts';
import { Inspection, type RunningMachines } from './inspection.ts';
import { KnownLeases } from './lease-facts.ts';
import { type HeldTarget, HostLedger } from './ledger.ts';
import { lateOperations, type Starting, startsOf, unremovedMachines } from './open-action.ts';
import type { Recovery, RecoveryOutcome } from './recovery.ts';
import { remainingAt } from './remaining.ts';
import type { ActionReport } from './report.ts';
import { StartPauses } from './start-pauses.ts';
import { type LeasesInUse, Strays } from './strays.ts';
import { ActionTraces } from './traces.ts';

export interface HostsOptions {
  readonly adapter: Adapter;
  readonly clock: Clock;
  readonly limits: Pick<
    EngineLimits,
    'dispatch' | 'inspectInterval' | 'maxHostFailures' | 'removeStrays' | 'startFailurePause'
  >;
  readonly log: Logger;
  readonly metrics: EngineMetrics;
  /** Null: tracing is off. */
  readonly tracing: Tracing | null;
  readonly leaseTraces: LeaseTraces;
  /** Reads what the store has of a lease; null if there is no such lease. */
  readonly leaseFacts: (lease: number) => Promise<LeaseFacts | null>;
  readonly report: (report: ActionReport) => void;
  /** Called with the current nodes. */
  readonly onNodes: (nodes: readonly NodeSpec[]) => void;
  /** Called with the images that the plan keeps on nodes for reuse. */
  readonly onCachedImages: (images: readonly CachedImageRecord[]) => void;
  readonly signal: AbortSignal;
}

/** What is known about hosts at the start of a term. */
export interface HostsAtStart {
  readonly spec: SiteSpec;
  /** Nodes that are not UP or whose state has a cause. */
  readonly nodeStates: readonly NodeStateRecord[];
  readonly cachedImages: readonly CachedImageRecord[];
  /** Leases that have not ended. */
  readonly leases: readonly LeaseRecord[];
  /** Machines that hosts hold or may hold. */
  readonly hosted: readonly HeldTarget[];
  /** Machines that should be running. */
  readonly running: readonly RunningMachines[];
  readonly pendingActions: readonly ActionRecord[];
  /** Of these, removals that have failed before. */
  readonly failedRemovals: ReadonlySet<number>;
  /** What is readable of quarantined leases whose machines may run. */
  readonly remains: readonly LeaseRemains[];
  /** The latest instant of any stored event or change. */
  readonly happened: Instant;
  /** Actions without an outcome that are not to be carried out any more. */
  readonly obsoleteActions: readonly ActionRecord[];
}

export interface Extension {
  readonly leaseId: number;
  readonly reservationId: number;
  readonly until: Instant;
}

/** Real milliseconds by which a late operation is extended. */
const minExtension = 1_000;
const maxExtension = 60_000;

export class Hosts implements HostControl {
  readonly dispatcher: Dispatcher;
  private readonly leases: KnownLeases;
  private readonly traces: ActionTraces | null;
  private readonly adapter: Adapter;
  private readonly ledger = new HostLedger();
  private readonly health: HostHealth;
  private nodes: readonly NodeSpec[] = [];
  private quarantined: readonly LeaseRemains[] = [];
  private happened: Instant = Number.NEGATIVE_INFINITY;
  private isQuarantined: LeasesInUse['isQuarantined'] = () => false;
  private pauses: StartPauses | null = null;
  private strays: Strays | null = null;
  private admission: Admission | null = null;
  private inspection: Inspection | null = null;
  /** Aborts when the current writer term ends. */
  private term: ReturnType<typeof linkedController> | null = null;

  constructor(private readonly options: HostsOptions) {
    const { limits, leaseTraces, log, tracing } = options;
    const { ledger } = this;
    this.leases = new KnownLeases({
      read: (lease) => options.leaseFacts(lease),
      onFailure: (lease, err) => log.warn({ lease, err }, 'hosts are not told the name and owner of a lease'),
    });
    const traces = tracing && new ActionTraces(tracing, leaseTraces);
    this.traces = traces;
    this.adapter = guarded(options.adapter, log);
    const adapter = traces ? traces.traced(this.adapter) : this.adapter;
    const report = (what: ActionReport): void => {
      if (what.outcome) traces?.end(what.outcome);
      options.report(what);
    };
    this.health = new HostHealth({
      maxFailures: limits.maxHostFailures,
      // A call is repeated after half of it at least.
      apart: limits.dispatch.minBackoff / 2,
      now: () => options.clock.monotonic(),
      clock: () => options.clock.now(),
      log,
      report,
      onAnswer: (node) => this.dispatcher.retryOn(node),
      isSettled: (node) => ledger.isSettled(node),
    });
    this.dispatcher = new Dispatcher({
      ...options,
      adapter,
      report,
      ledger,
      factsOf: (lease) => this.leases.of(lease),
      limits: limits.dispatch,
      log: log.child({ adapter: adapter.name }),
      onReached: (node, error) => (error ? this.health.failed(node, error) : this.health.answered(node)),
    });
  }

  /** Hosts that currently do not answer. */
  get unreachable(): number {
    return this.health.unreachable;
  }

  /** Machines on hosts that belong to no lease. */
  get strayMachines(): number {
    return this.strays?.count ?? 0;
  }

  /** A writer term begins. */
  begin(known: HostsAtStart, leases: LeasesInUse, log: Logger): void {
    const { ledger, options } = this;
    const { limits, report, signal } = options;
    this.term = linkedController(signal);
    this.strays = new Strays({
      ledger,
      dispatcher: this.dispatcher,
      leases,
      log,
      report,
      now: () => options.clock.now(),
      removeStrays: limits.removeStrays,
    });
    this.admission = new Admission({ log, report });
    this.inspection = new Inspection(known.running, {
      ...options,
      ...{ adapter: this.adapter, ledger, log },
      ...{ dispatcher: this.dispatcher, health: this.health, strays: this.strays },
      admission: this.admission,
      signal: this.term.signal,
    });
    const pause = limits.startFailurePause;
    this.pauses = new StartPauses({ ...options, log, pause, signal: this.term.signal });
    this.leases.note(known.leases);
    this.options.onCachedImages(known.cachedImages);
    this.know(known.spec.nodes);
    this.follow(known.nodeStates);
    for (const machine of known.hosted) ledger.hold(machine);
    this.quarantined = known.remains;
    this.happened = known.happened;
    this.isQuarantined = leases.isQuarantined;
    this.dispatcher.giveUp(known.obsoleteActions);
    this.dispatcher.add(known.pendingActions, known.failedRemovals);
    void this.inspection.run();
  }

  /** The core was reloaded within a term; the ledger keeps its state. */
  reloaded(known: Omit<HostsAtStart, 'hosted' | 'running'>): void {
    this.leases.note(known.leases);
    this.options.onCachedImages(known.cachedImages);
    this.know(known.spec.nodes);
    this.follow(known.nodeStates);
    this.quarantined = known.remains;
    this.happened = known.happened;
    this.dispatcher.giveUp(known.obsoleteActions);
    this.dispatcher.add(known.pendingActions, known.failedRemovals);
  }

  /** A turn is committed: its reports are recorded and its actions dispatched. */
  committed(changes: Changes, reports: readonly ActionReport[]): void {
    for (const { outcome } of reports) {
      if (outcome && outcome.state !== 'PENDING') this.dispatcher.recorded(outcome.actionId);
    }
    if (changes.inventory) {
      const nodes = [...this.nodes];
      for (const node of changes.inventory) nodes[node.number - 1] = node;
      this.know(nodes);
    }
    if (changes.site) this.options.onCachedImages(changes.site.cachedImages);
    this.follow([...changes.nodes, ...(changes.inventory ?? [])]);
    this.leases.note(changes.leases);
    this.inspection?.committed(changes);
    this.traces?.begin(changes.actions);
    // Remaining machines of a quarantined lease hold capacity until they are gone.
    for (const leaseId of changes.discarded ?? []) {
      for (const action of changes.actions)
        if (action.leaseId === leaseId) for (const machine of action.targets) this.ledger.hold(machine);
    }
    this.dispatcher.add(changes.actions);
  }

  private know(nodes: readonly NodeSpec[]): void {
    this.nodes = nodes;
    this.ledger.know(nodes);
    this.options.onNodes(nodes);
  }

  private follow(states: readonly NodeStateRecord[]): void {
    this.health.follow(states);
    this.pauses?.follow(states);
    this.admission?.follow(states);
  }

  /** New ends for operations that should have ended by `at`. The extension grows with the delay. */
  extensions(at: Instant): readonly Extension[] {
    const { clock } = this.options;
    const now = Math.max(at, clock.now());
    return lateOperations(this.dispatcher.open, at).map(({ deadline, ...operation }) => {
      const delay = Math.min(Math.max((now - deadline) / clock.speed, minExtension), maxExtension);
      return { ...operation, until: now + Math.ceil(delay * clock.speed) };
    });
  }

  /** Leases without a recorded start. */
  get starting(): readonly Starting[] {
    return startsOf(this.dispatcher.open);
  }

  /** The present instant. */
  get now(): Instant {
    return this.options.clock.now();
  }

  /** Machines that should be gone at an instant and are not; null for one that is over by what is stored. */
  remaining(at: Instant): readonly RemainingMachine[] | null {
    if (at < this.happened) return null;
    const { dispatcher, isQuarantined, ledger, options, quarantined } = this;
    const { clock, limits } = options;
    const { lateness } = limits.dispatch;
    return remainingAt(at, { clock, dispatcher, ledger, lateness, quarantined, isQuarantined });
  }

  recover(actionId: number, recovery: Recovery): RecoveryOutcome {
    return this.dispatcher.recover(actionId, recovery);
  }

  factsOf(nodes: readonly number[]): readonly HostFacts[] {
    const unremoved = unremovedMachines(this.dispatcher.open, this.ledger);
    return nodes.map((node) => ({
      node,
      ...this.health.of(node),
      unremoved: unremoved.get(node) ?? [],
      strays: this.strays?.on(node) ?? [],
    }));
  }

  /** Another process may control the hosts from now on. */
  end(): void {
    this.traces?.clear();
    this.term?.abort();
    this.term?.[Symbol.dispose]();
    this.term = null;
    this.inspection = null;
    this.pauses = null;
    this.strays = null;
    this.admission = null;
    this.dispatcher.reset();
    this.health.clear();
    this.leases.clear();
    this.adapter.forget();
  }

  /** Aborts all calls; the actions stay recorded as unfinished. */
  stop(): void {
    this.dispatcher.stop();
  }
}
