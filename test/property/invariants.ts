/** What must hold of every schedule, judged from the records alone: nothing here knows how the scheduler keeps its books. */
import {
  type Amounts,
  type Instant,
  isFinal,
  type LeaseRecord,
  type ReservationRecord,
  SECOND,
  type SiteSpec,
} from '../../src/core/index.ts';
import type { Ledger } from './ledger.ts';
import type { Scenario } from './scenario.ts';

const HOLDING = new Set(['VM', 'SUSPENSION', 'RESUMPTION', 'SHUTDOWN']);

const list = (amount: number | readonly number[] | undefined): readonly number[] =>
  typeof amount === 'number' ? [amount] : (amount ?? []);

// ---------------------------------------------------------------- capacity

/** At no instant is more held on a node than it has, of any type that machines hold, in any instance of it. */
export const withinCapacity = (site: SiteSpec, reservations: readonly ReservationRecord[]): void => {
  const holding = reservations.filter(({ kind }) => HOLDING.has(kind));
  for (const { number, capacity } of site.nodes) {
    const here = holding.flatMap(({ id, start, end, amounts }) => {
      const held = amounts[number];
      return held && start < end ? [{ id, start, end, held }] : [];
    });
    for (const { start: at } of here) {
      const now = here.filter(({ start, end }) => start <= at && at < end);
      for (const type of site.resourceTypes) {
        const has = list(capacity[type]);
        const instances = Math.max(1, has.length, ...now.map(({ held }) => list(held[type]).length));
        for (let instance = 0; instance < instances; instance += 1) {
          const used = now.reduce((sum, { held }) => sum + (list(held[type])[instance] ?? 0), 0);
          if (used > (has[instance] ?? 0)) {
            const who = now.map(({ id }) => id).join(', ');
            throw new Error(
              `node ${number} at ${at}: ${used} of ${has[instance] ?? 0} ${type} (instance ${instance}) held by reservations ${who}`,
            );
          }
        }
      }
    }
  }
};

/** What a reservation holds on its nodes is what the machines there ask for, every share whole in one instance. */
export const holdsWhatItsMachinesAskFor = (
  site: SiteSpec,
  lease: LeaseRecord,
  vm: ReservationRecord,
): void => {
  const byNode = new Map<number, Amounts[]>();
  for (const [machine, node] of Object.entries(vm.machines ?? {}))
    byNode.set(node, [...(byNode.get(node) ?? []), lease.machines[Number(machine) - 1] as Amounts]);
  const placed = [...byNode.values()].reduce((sum, machines) => sum + machines.length, 0);
  if (placed !== lease.machines.length) throw new Error(`reservation ${vm.id} has ${placed} machines`);
  for (const [node, machines] of byNode) {
    for (const type of site.resourceTypes) {
      const held = list(vm.amounts[node]?.[type]);
      const multi = site.nodes.some(({ capacity }) => list(capacity[type]).length > 1);
      const asked = machines.flatMap((amounts) =>
        multi ? list(amounts[type]) : list(amounts[type]).slice(0, 1),
      );
      if (!canFill(held, asked))
        throw new Error(`reservation ${vm.id} holds ${held} ${type} on node ${node}, for shares of ${asked}`);
    }
  }
};

/** Whether the shares can be laid into the instances so that they fill exactly these amounts. */
const canFill = (held: readonly number[], shares: readonly number[]): boolean => {
  const [share, ...others] = shares.filter((each) => each > 0);
  if (share === undefined) return held.every((amount) => amount === 0);
  return held.some(
    (amount, instance) => amount >= share && canFill(held.with(instance, amount - share), others),
  );
};

/** The operations round a VM follow each other without a gap and hold what it holds (R1, R64). */
export const chainsHoldThroughout = (reservations: readonly ReservationRecord[]): void => {
  const byVm = new Map<number, ReservationRecord[]>();
  for (const each of reservations) {
    if (!HOLDING.has(each.kind)) continue;
    const vm = each.vmId ?? each.id;
    byVm.set(vm, [...(byVm.get(vm) ?? []), each]);
  }
  for (const chain of byVm.values()) {
    chain.sort((a, b) => a.chainIndex - b.chainIndex);
    chain.forEach((each, index) => {
      const next = chain[index + 1];
      if (each.start > each.end) throw new Error(`reservation ${each.id} ends before it starts`);
      if (next && next.state !== 'CANCELLED' && next.start !== each.end)
        throw new Error(
          `reservation ${next.id} starts at ${next.start}, ${each.id} before it ends at ${each.end}`,
        );
      if (JSON.stringify(each.amounts) !== JSON.stringify(chain[0]?.amounts))
        throw new Error(`reservation ${each.id} holds other amounts than its chain`);
    });
  }
};

/**
 * Followed event by event, no node is ever over capacity: at one instant what ends gives way before what starts. (A shutdown or suspension
 * that takes no time may be told of after what starts in its lease's place.)
 */
export const endsComeFirst = ({ site }: Scenario, ledger: Ledger): void => {
  const executed = ledger.executed();
  const begunAt = (lease: number, kind: string, at: Instant) =>
    executed.find((each) => each.leaseId === lease && each.kind === kind && each.start === at);
  const running = new Map<number, ReservationRecord>();
  for (const { at, leaseId, from, to } of ledger.events) {
    const begins = (from === 'READY' && to === 'ACTIVE') || to === 'RESUMING';
    if (begins) {
      const begun = begunAt(leaseId, to === 'ACTIVE' ? 'VM' : 'RESUMPTION', at);
      if (!begun) throw new Error(`lease ${leaseId} began at ${at} without a reservation`);
      executed.splice(executed.indexOf(begun), 1);
      running.set(leaseId, begun);
      const present = [...running].filter(([lease]) =>
        ['SHUTDOWN', 'SUSPENSION'].every((kind) => begunAt(lease, kind, at)?.end !== at),
      );
      withinCapacity(
        site,
        present.map(([, each]) => ({ ...each, start: 0, end: 1 })),
      );
    } else if (isFinal(to) || to === 'SUSPENDED_PENDING' || to === 'QUEUED') {
      running.delete(leaseId);
    }
  }
};

// ---------------------------------------------------------------- what leases get

/**
 * Every accepted advance reservation runs exactly when it asked to, its shutdown included, unless it ended early or was cancelled. Leases
 * whose machines a test ended, or failed, are left out.
 */
export const advanceReservationsRunExactly = (
  ledger: Ledger,
  disturbed: ReadonlySet<number> = new Set(),
): void => {
  for (const lease of ledger.leases.values()) {
    if (lease.type !== 'ADVANCE_RESERVATION' || disturbed.has(lease.id)) continue;
    const accepted = ledger.events.some(({ leaseId, to }) => leaseId === lease.id && to === 'SCHEDULED');
    if (!accepted || lease.state === 'CANCELLED') continue;
    if (lease.state !== 'DONE') throw new Error(`lease ${lease.id} was accepted and became ${lease.state}`);
    const start = lease.requestedStart as Instant;
    const [vm, ...more] = vmsOf(ledger, lease);
    if (!vm || more.length > 0) throw new Error(`lease ${lease.id} ran ${more.length + 1} times`);
    const end = start + lease.duration;
    const early = start + Math.max(lease.knownDuration ?? lease.duration, SECOND);
    const shutdown = ledger
      .executed()
      .some(({ leaseId, kind }) => leaseId === lease.id && kind === 'SHUTDOWN');
    if (vm.start !== start) throw new Error(`lease ${lease.id} started at ${vm.start}, and not at ${start}`);
    if (lease.endedAt !== (shutdown ? end : early))
      throw new Error(`lease ${lease.id} ended at ${lease.endedAt}, expected ${shutdown ? end : early}`);
    if (!shutdown && early >= end) throw new Error(`lease ${lease.id} was not shut down`);
  }
};

/** DONE leases of other types ran their whole duration, or as long as it was known that they would (R20). */
export const doneLeasesRanTheirTime = (ledger: Ledger, disturbed: ReadonlySet<number> = new Set()): void => {
  for (const lease of ledger.leases.values()) {
    if (lease.state !== 'DONE' || lease.type === 'ADVANCE_RESERVATION' || disturbed.has(lease.id)) continue;
    const last = vmsOf(ledger, lease).at(-1);
    if (!last) throw new Error(`lease ${lease.id} is DONE and never ran`);
    const before = lease.accumulated - (last.end - last.start);
    const known = Math.max((lease.knownDuration ?? lease.duration) - before, SECOND);
    const expected = before + Math.min(known, lease.duration - before);
    if (lease.accumulated !== expected)
      throw new Error(`lease ${lease.id} ran ${lease.accumulated} ms, expected ${expected}`);
  }
};

/** Running time is the sum of all runs; only what is cancelled and requeued starts again from nothing. */
export const noWorkIsLost = (ledger: Ledger): void => {
  for (const lease of ledger.leases.values()) {
    const restart = ledger.events.findLast(
      ({ leaseId, from, to }) => leaseId === lease.id && from === 'ACTIVE' && to === 'QUEUED',
    );
    // Of runs that began at the instant of the restart, the one that was stopped by it came before.
    const ran = vmsOf(ledger, lease)
      .filter(
        ({ state, start, end }) =>
          state !== 'ACTIVE' && !(restart && (start < restart.at || end === restart.at)),
      )
      .reduce((sum, { start, end }) => sum + end - start, 0);
    if (lease.accumulated !== ran)
      throw new Error(`lease ${lease.id} has accumulated ${lease.accumulated} ms, its runs come to ${ran}`);
  }
};

/** VM reservations of a lease that started, in order of start. */
export const vmsOf = (ledger: Ledger, lease: LeaseRecord): ReservationRecord[] =>
  ledger
    .executed()
    .filter(({ leaseId, kind }) => leaseId === lease.id && kind === 'VM')
    .sort((a, b) => a.start - b.start || a.id - b.id);

export const everyLeaseHasEnded = (ledger: Ledger): void => {
  for (const { id, state } of ledger.leases.values())
    if (!isFinal(state)) throw new Error(`lease ${id} is ${state} at the end`);
};

// ---------------------------------------------------------------- together

/** Of the plan as it stands at an instant. */
export const checkPlan = (scenario: Scenario, ledger: Ledger): void => {
  const planned = ledger.planned();
  withinCapacity(scenario.site, planned);
  chainsHoldThroughout(planned);
  for (const each of planned) {
    if (each.kind !== 'VM') continue;
    holdsWhatItsMachinesAskFor(scenario.site, ledger.leases.get(each.leaseId) as LeaseRecord, each);
  }
};

/** Of everything that happened. */
export const checkHistory = (scenario: Scenario, ledger: Ledger): void => {
  withinCapacity(scenario.site, ledger.executed());
  chainsHoldThroughout(ledger.executed());
  endsComeFirst(scenario, ledger);
  noWorkIsLost(ledger);
};
