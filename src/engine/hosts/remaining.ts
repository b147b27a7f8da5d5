/** Machines that the plan has no place for any more, and that hosts have not removed. */
import { getOrCreate, type Instant, type Millis, type RemainingMachine } from '../../core/index.ts';
import type { Clock } from '../clock.ts';
import type { LeaseRemains } from '../remains.ts';
import type { Dispatcher } from './dispatcher.ts';
import { type HeldTarget, type HostLedger, keyAt } from './ledger.ts';

/** Real milliseconds for which a machine is expected to remain: as long as it has remained, within these bounds. */
const minStay = 1_000;
const maxStay = 3_600_000;
/** The most for which it holds up a lease that cannot wait longer. */
const maxCertainStay = 60_000;

export interface RemainingOptions {
  readonly clock: Clock;
  readonly dispatcher: Pick<Dispatcher, 'isBusyWith' | 'open' | 'waitingStarts'>;
  readonly ledger: Pick<HostLedger, 'inTheWayOf' | 'isReleasing'>;
  /** Real time that a removal may take without a change of the plan. */
  readonly lateness: Millis;
  /** Machines of quarantined leases: they may still run, and nothing removes them. */
  readonly quarantined: readonly LeaseRemains[];
  readonly isQuarantined: (leaseId: number) => boolean;
}

interface Stay {
  readonly place: HeldTarget;
  readonly stay: Millis;
}

/** The machines that remain at an instant. */
export function remainingAt(at: Instant, options: RemainingOptions): RemainingMachine[] {
  const stays = new Map<string, Stay>();
  for (const each of [...removalsOf(options), ...quarantinedOf(options)]) stays.set(keyAt(each.place), each);
  if (stays.size === 0) return [];
  const { clock } = options;
  const now = Math.max(at, clock.now());
  const blocked = blockedStarts(options);
  return [...stays].map(([key, { place, stay }]) => {
    const { capacity, leaseId, machine, node } = place;
    const after = (duration: Millis): Instant => now + Math.ceil(duration * clock.speed);
    return {
      ...{ leaseId, machine, node, capacity },
      until: after(Math.min(stay, maxCertainStay)),
      expectedUntil: after(stay),
      inTheWayOf: blocked.get(key) ?? [],
    };
  });
}

/** Machines whose removal has failed or takes long. Usual removals are over before the plan could be changed. */
function removalsOf({ clock, dispatcher, lateness, ledger }: RemainingOptions): Stay[] {
  return [...dispatcher.open].flatMap(({ action, hasFailed, parts, takenAt }) => {
    if (action.kind !== 'DESTROY' || parts === 0) return [];
    const age = clock.monotonic() - takenAt;
    if (!hasFailed && age <= lateness) return [];
    const stay = Math.min(Math.max(age, minStay), maxStay);
    return action.targets.filter((place) => ledger.isReleasing(place)).map((place) => ({ place, stay }));
  });
}

/** A lease that was discarded holds its places until its machines are removed. */
function quarantinedOf({ dispatcher, isQuarantined, quarantined }: RemainingOptions): Stay[] {
  return quarantined
    .filter(({ leaseId }) => isQuarantined(leaseId) || dispatcher.isBusyWith(leaseId))
    .flatMap(({ leaseId, machines }) => machines.map((machine) => ({ place: { leaseId, ...machine }, stay: maxStay })));
}

/** Leases whose machines wait for their node, by the machines that are in their way. */
function blockedStarts({ dispatcher, ledger }: RemainingOptions): ReadonlyMap<string, number[]> {
  const blocked = new Map<string, number[]>();
  for (const { actionId, target } of dispatcher.waitingStarts) {
    for (const machine of ledger.inTheWayOf(target, actionId)) {
      const leases = getOrCreate(blocked, keyAt({ ...machine, node: target.node }), () => []);
      if (!leases.includes(target.leaseId)) leases.push(target.leaseId);
    }
  }
  return blocked;
}
