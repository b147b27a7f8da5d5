import type { Amounts, Instant, LeaseRecord, ReservationRecord, SiteSpec } from '../../../src/core/index.ts';

/** The kinds that hold what machines ask for. */
const holdingKinds: ReadonlySet<ReservationRecord['kind']> = new Set(['VM', 'SUSPENSION', 'RESUMPTION', 'SHUTDOWN']);

type Held = Pick<ReservationRecord, 'id' | 'kind' | 'start' | 'end' | 'amounts'>;

/** An amount by instance. */
function instancesOf(amount: number | readonly number[] | undefined): readonly number[] {
  return typeof amount === 'number' ? [amount] : (amount ?? []);
}

/** At no instant is more held on a node than it has, of any type, in any instance of it. */
export function capacityFaults(site: SiteSpec, reservations: readonly Held[]): string[] {
  const holding = reservations.filter(({ kind, start, end }) => holdingKinds.has(kind) && start < end);
  return site.nodes.flatMap(({ number, capacity }) => {
    const here = holding.flatMap(({ id, start, end, amounts }) => {
      const held = amounts[number];
      return held ? [{ id, start, end, held }] : [];
    });
    return site.resourceTypes.flatMap((type) => {
      const has = instancesOf(capacity[type]);
      const count = Math.max(has.length, ...here.map(({ held }) => instancesOf(held[type]).length));
      return Array.from({ length: count }, (_, instance) => {
        const shares = here
          .map(({ id, start, end, held }) => ({
            id,
            start,
            end,
            amount: instancesOf(held[type])[instance] ?? 0,
          }))
          .filter(({ amount }) => amount !== 0);
        const where = `node ${number}: ${type}${count > 1 ? ` (instance ${instance})` : ''}`;
        return overuse(shares, has[instance] ?? 0).map((fault) => `${where} ${fault}`);
      }).flat();
    });
  });
}

interface Share {
  readonly id: number;
  readonly start: Instant;
  readonly end: Instant;
  readonly amount: number;
}

/** At one instant ends come before starts. */
function overuse(shares: readonly Share[], has: number): string[] {
  const broken = shares.filter(({ amount }) => !(amount > 0 && Number.isSafeInteger(amount)));
  if (broken.length > 0) return broken.map(({ id, amount }) => `${amount} held by reservation ${id}: not an amount`);
  const changes = shares
    .flatMap((share) => [
      { at: share.start, by: share.amount },
      { at: share.end, by: -share.amount },
    ])
    .sort((a, b) => a.at - b.at || a.by - b.by);
  let used = 0;
  return changes.flatMap(({ at, by }) => {
    used += by;
    if (by < 0 || used <= has) return [];
    const holders = shares.filter(({ start, end }) => start <= at && at < end).map(({ id }) => id);
    return [`at ${at}: ${used} of ${has} held by reservations ${holders.join(', ')}`];
  });
}

/** What a VM reservation holds on its nodes is what the machines there ask for, every share whole in one instance. */
export function machineFaults(
  site: SiteSpec,
  lease: Pick<LeaseRecord, 'machines'>,
  vm: Pick<ReservationRecord, 'id' | 'machines' | 'amounts'>,
): string[] {
  const faults: string[] = [];
  const byNode = new Map<number, Amounts[]>();
  for (const [machine, node] of Object.entries(vm.machines ?? {}))
    byNode.set(node, [...(byNode.get(node) ?? []), lease.machines[Number(machine) - 1] ?? {}]);
  const placed = Object.keys(vm.machines ?? {}).length;
  if (placed !== lease.machines.length)
    faults.push(`reservation ${vm.id} has ${placed} of ${lease.machines.length} machines`);
  for (const node of Object.keys(vm.amounts).map(Number))
    if (!byNode.has(node)) faults.push(`reservation ${vm.id} holds something on node ${node}, without a machine`);
  for (const [node, machines] of byNode) {
    for (const type of site.resourceTypes) {
      const held = instancesOf(vm.amounts[node]?.[type]);
      // On a site with one instance of the type only the first share of a machine counts.
      const isMulti = site.nodes.some(({ capacity }) => instancesOf(capacity[type]).length > 1);
      const asked = machines.flatMap((amounts) => {
        const shares = instancesOf(amounts[type]);
        return isMulti ? shares : shares.slice(0, 1);
      });
      if (!canFill(held, asked))
        faults.push(`reservation ${vm.id} holds ${held} ${type} on node ${node}, for shares of ${asked}`);
    }
  }
  return faults;
}

/** Whether the shares can be laid into the instances so that they fill exactly these amounts. */
function canFill(held: readonly number[], shares: readonly number[]): boolean {
  const [share, ...others] = shares.filter((each) => each > 0);
  if (share === undefined) return held.every((amount) => amount === 0);
  return held.some((amount, instance) => amount >= share && canFill(held.with(instance, amount - share), others));
}

/** The operations round a VM follow each other without a gap and hold what it holds (R1, R64). */
export function chainFaults(reservations: readonly ReservationRecord[]): string[] {
  const chains = new Map<number, ReservationRecord[]>();
  for (const each of reservations) {
    if (!holdingKinds.has(each.kind)) continue;
    const vm = each.vmId ?? each.id;
    chains.set(vm, [...(chains.get(vm) ?? []), each]);
  }
  const faults: string[] = [];
  for (const chain of chains.values()) {
    chain.sort((a, b) => a.chainIndex - b.chainIndex);
    chain.forEach((each, index) => {
      const next = chain[index + 1];
      if (each.start > each.end) faults.push(`reservation ${each.id} ends before it starts`);
      if (next && next.state !== 'CANCELLED' && next.start !== each.end)
        faults.push(`reservation ${next.id} starts at ${next.start}, and ${each.id} before it ends at ${each.end}`);
      if (JSON.stringify(each.amounts) !== JSON.stringify(chain[0]?.amounts))
        faults.push(`reservation ${each.id} holds other amounts than its chain`);
    });
  }
  return faults;
}
