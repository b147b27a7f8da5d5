/** Builds a core that continues from the last commit. */
import type { Logger } from 'pino';
import type {
  ActionRecord,
  Instant,
  LeaseEventRecord,
  LeaseState,
  SchedulerConfig,
  SiteSpec,
  Snapshot,
} from '../core/index.ts';
import { yieldToEventLoop } from './async.ts';
import type { Core, RestoreCore } from './core.ts';
import type { HostsAtStart } from './hosts/hosts.ts';
import { type HeldTarget, keyAt } from './hosts/ledger.ts';
import { takingKinds } from './hosts/open-action.ts';
import type { EngineMetrics } from './metrics.ts';
import type { NoticeSettings } from './notices/notice.ts';
import { Notices } from './notices/notices.ts';
import { type Store, type StoredSite, StoreError, type WriterTerm } from './ports.ts';
import { type Fault, verify, verifyActions } from './verify.ts';

export interface RecoveryOptions {
  readonly store: Store;
  readonly site: { readonly name: string; readonly spec: SiteSpec };
  readonly scheduler: SchedulerConfig;
  readonly restore: RestoreCore;
  readonly log: Logger;
  readonly metrics: EngineMetrics;
  readonly notices: NoticeSettings;
}

export interface Recovered extends HostsAtStart {
  readonly core: Core;
  readonly lastCommit: string | null;
  readonly lastEventSequence: number;
  readonly lastNoticeSequence: number;
  /** Derives notices from what the core does from now on. */
  readonly notices: Notices;
  readonly createdAt: Instant;
  /** Live leases that are quarantined. */
  readonly quarantined: ReadonlySet<number>;
}

/** Loads and verifies the site; writes the configured one when there is none. Throws StoreError, SchedulerError. */
export const recover = async (options: RecoveryOptions, writer: WriterTerm): Promise<Recovered> => {
  const { store, site, log } = options;
  let stored = await store.load();
  if (!stored) {
    await store.createSite(site.name, site.spec, writer);
    log.info({ site: site.name, nodes: site.spec.nodes.length }, 'site created');
    stored = await store.load();
  }
  if (!stored) throw new StoreError('PERMANENT', 'the site was written but cannot be read');

  const recovered = await restored(options, stored);
  await store.markQuarantined([...recovered.quarantined], writer);
  return recovered;
};

const restored = async (options: RecoveryOptions, stored: StoredSite): Promise<Recovered> => {
  const { log, metrics, restore, scheduler, store } = options;
  const { actions, core, faults, quarantined, snapshot } = await examine(stored, scheduler, restore);
  for (const { leaseId, message } of stored.unreadable) {
    log.error({ quarantined: true, lease: leaseId }, `left out: ${message}`);
  }
  for (const { code, leaseId, reservationId, message } of faults) {
    log.error({ quarantined: true, code, lease: leaseId, reservation: reservationId }, `left out: ${message}`);
  }
  metrics.quarantined(stored.unreadable.length + faults.length);
  // Machines of an inconsistent lease are not started.
  const known = actions.filter((action) => action.kind === 'DESTROY' || !quarantined.has(action.leaseId));
  const isWanted = wantedIn(snapshot);
  const vain = new Set(known.filter((action) => !isWanted(action)));
  const hosted = hostedOf(
    snapshot,
    actions.filter((action) => !vain.has(action)),
  );
  const { obsolete, pending } = separate(
    known.filter((action) => !vain.has(action)),
    hosted,
  );
  const { lastEventSequence } = snapshot.site;
  const [lastEvent] = lastEventSequence > 0 ? await store.events(lastEventSequence - 1, 1) : [];
  const leftOut = liveOf(stored, quarantined);
  return {
    core,
    lastCommit: stored.lastCommit,
    lastEventSequence,
    lastNoticeSequence: stored.notices.last,
    notices: new Notices(core, options.notices, snapshot, stored.notices),
    pendingActions: pending,
    obsoleteActions: [...vain, ...obsolete],
    hosted,
    spec: stored.spec,
    cachedImages: snapshot.site.cachedImages,
    leases: snapshot.leases,
    nodeStates: snapshot.nodes ?? [],
    running: snapshot.reservations.filter(({ kind, state }) => kind === 'VM' && state === 'ACTIVE'),
    createdAt: stored.createdAt,
    quarantined: leftOut,
    failedRemovals: new Set(stored.failedRemovals),
    // Those that have machines on hosts: what else they were to get is free.
    remains: (leftOut.size > 0 ? await store.remains([...leftOut]) : []).filter(({ state }) =>
      hostingStates.has(state),
    ),
    happened: latest(snapshot, lastEvent),
  };
};

/** The excluded leases that are live; remains of an ended lease may be inconsistent, too. */
function liveOf({ snapshot, unreadable }: StoredSite, leftOut: ReadonlySet<number>): ReadonlySet<number> {
  const live = snapshot.leases.filter(({ id }) => leftOut.has(id)).map(({ id }) => id);
  return new Set([...live, ...unreadable.flatMap(({ leaseId }) => leaseId ?? [])]);
}

export interface Examined {
  readonly core: Core;
  readonly faults: readonly Fault[];
  /** The stored state without inconsistent rows. */
  readonly snapshot: Snapshot;
  readonly actions: readonly ActionRecord[];
  /** Excluded leases. */
  readonly quarantined: ReadonlySet<number>;
}

/**
 * Verifies the stored state and builds a core from the consistent part. Throws what the core throws for a site without
 * leases.
 */
export const examine = async (
  { spec, snapshot, pendingActions, unreadable }: StoredSite,
  scheduler: SchedulerConfig,
  restore: RestoreCore,
): Promise<Examined> => {
  const verified = verify(spec, snapshot, unreadable);
  const actions = verifyActions(spec, pendingActions);
  // Both take long with many leases, and the connection that holds the lock must be served in between.
  await yieldToEventLoop();
  const { core, refused } = restoreSound((part) => restore(spec, scheduler, part), verified.snapshot);
  const refusals = [...refused].map(([leaseId, error]): Fault => {
    const why = error instanceof Error ? error.message : String(error);
    return {
      code: 'REFUSED_LEASE',
      leaseId,
      reservationId: null,
      message: `lease ${leaseId}: the scheduler does not take it: ${why}`,
    };
  });
  return {
    core,
    faults: [...verified.faults, ...actions.faults, ...refusals],
    snapshot: verified.snapshot,
    actions: actions.sound,
    quarantined: new Set([...verified.quarantined, ...refused.keys()]),
  };
};

/** Builds a core from all leases that it accepts. Throws what the core throws for a site without leases. */
const restoreSound = (
  restore: (part: Snapshot) => Core,
  snapshot: Snapshot,
): { core: Core; refused: Map<number, unknown> } => {
  const refused = new Map<number, unknown>();
  try {
    return { core: restore(snapshot), refused };
  } catch {
    const part = (leases: ReadonlySet<number>): Snapshot => ({
      ...snapshot,
      leases: snapshot.leases.filter(({ id }) => leases.has(id)),
      reservations: snapshot.reservations.filter(({ leaseId }) => leases.has(leaseId)),
    });
    /** The leases that the core accepts, found by bisection. */
    const sound = (leases: readonly number[]): readonly number[] => {
      try {
        restore(part(new Set(leases)));
        return leases;
      } catch (error) {
        const [only] = leases;
        if (only === undefined) throw error;
        if (leases.length > 1) {
          const middle = leases.length >> 1;
          return [...sound(leases.slice(0, middle)), ...sound(leases.slice(middle))];
        }
        refused.set(only, error);
        return [];
      }
    };
    const ids = new Set([
      ...snapshot.leases.map(({ id }) => id),
      ...snapshot.reservations.map(({ leaseId }) => leaseId),
    ]);
    return { core: restore(part(new Set(sound([...ids])))), refused };
  }
};

/**
 * Whether an action without an outcome is still to be carried out. Its outcome may be lost although later actions have
 * succeeded: a machine of a lease that has ended or moved is not started again.
 */
function wantedIn({ leases, reservations }: Snapshot): (action: ActionRecord) => boolean {
  const live = new Map(leases.map((lease) => [lease.id, lease]));
  const vms = new Set(reservations.map(({ id, vmId }) => vmId ?? id));
  return ({ kind, reservationId, targets }) => {
    switch (kind) {
      case 'DESTROY':
      case 'SHUTDOWN':
        return true;
      case 'START':
        return reservationId !== null && vms.has(reservationId);
      case 'PREPARE':
      case 'RESUME':
        return targets.some(({ leaseId, machine, node }) => live.get(leaseId)?.mapping?.[machine] === node);
      default:
        return targets.some(({ leaseId }) => live.has(leaseId));
    }
  };
}

/**
 * Leaves out of starts and resumptions what hosts do not hold: machines that have since been suspended or shut down by
 * actions with an outcome. Nothing would stop them again.
 */
function separate(
  actions: readonly ActionRecord[],
  hosted: readonly HeldTarget[],
): Record<'obsolete' | 'pending', ActionRecord[]> {
  const held = new Set(hosted.map(keyAt));
  const obsolete: ActionRecord[] = [];
  const pending: ActionRecord[] = [];
  for (const action of actions) {
    const { kind } = action;
    const targets = action.targets.filter((each) => !takingKinds.has(kind) || held.has(keyAt(each)));
    if (targets.length === 0 && action.targets.length > 0) obsolete.push(action);
    else pending.push({ ...action, targets });
  }
  return { obsolete, pending };
}

/** Machines that were started or resumed and are not known to be removed or suspended. */
function hostedOf({ leases, reservations }: Snapshot, pending: readonly ActionRecord[]): HeldTarget[] {
  const ending = new Set(
    reservations.filter(({ kind, state }) => kind === 'SHUTDOWN' && state === 'ACTIVE').map(({ leaseId }) => leaseId),
  );
  const running = leases.flatMap(({ id, machines, mapping, memoryAt, state }) =>
    hostingStates.has(state) && !ending.has(id)
      ? Object.entries(mapping ?? {})
          .filter(([machine]) => !(machine in memoryAt))
          .map(([machine, node]) => ({
            ...{ leaseId: id, machine: Number(machine), node },
            capacity: machines[Number(machine) - 1] ?? {},
          }))
      : [],
  );
  const leaving = pending.flatMap(({ kind, targets }) =>
    kind === 'SHUTDOWN' || kind === 'SUSPEND' || kind === 'DESTROY' ? targets : [],
  );
  return [...running, ...leaving];
}

const hostingStates: ReadonlySet<LeaseState> = new Set(['ACTIVE', 'SUSPENDING', 'RESUMING', 'RESUMED_READY']);

const latest = (snapshot: Snapshot, event: LeaseEventRecord | undefined): Instant => {
  let at = event?.at ?? Number.NEGATIVE_INFINITY;
  for (const lease of snapshot.leases) at = Math.max(at, lease.submittedAt, lease.actualStart ?? at);
  for (const reservation of snapshot.reservations) {
    if (reservation.state === 'ACTIVE') at = Math.max(at, reservation.start);
  }
  return at;
};
