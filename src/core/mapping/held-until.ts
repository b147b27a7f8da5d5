import type { Vector } from '../model/capacity.ts';
import type { Lease, VmReservation } from '../model/lease.ts';
import type { Instant } from '../model/records.ts';
import type { Quotas } from '../policies/quotas.ts';
import type { NodeProfile, Segment } from '../slot-table/node-profile.ts';

/**
 * Until when, from `from` and at most `to`, the nodes have these amounts free, ignoring the leases in `gone`. Returns
 * `from` if they do not.
 */
export function heldUntil(
  nodes: readonly NodeProfile[],
  amounts: ReadonlyMap<number, Vector>,
  from: Instant,
  to: Instant,
  gone: ReadonlySet<Lease>,
): Instant {
  let until = to;
  for (const [number, needed] of amounts) {
    const node = nodes[number] as NodeProfile;
    const { segments } = node;
    for (let i = node.indexAt(from); i < segments.length; i += 1) {
      const segment = segments[i] as Segment;
      if (segment.time >= until) break;
      if (!isFree(segment, needed, gone)) until = Math.max(from, segment.time);
    }
  }
  return until;
}

/** As `heldUntil`, also limited by the quotas of the lease's project. */
export function mayHoldUntil(
  { quotas, table }: { readonly quotas: Quotas; readonly table: { readonly nodes: readonly NodeProfile[] } },
  { amounts, lease }: Pick<VmReservation, 'amounts' | 'lease'>,
  from: Instant,
  to: Instant,
  gone: ReadonlySet<Lease> = new Set(),
): Instant {
  return heldUntil(table.nodes, amounts, from, quotas.reach(lease, from, to), gone);
}

function isFree({ free, holds }: Segment, needed: Vector, gone: ReadonlySet<Lease>): boolean {
  for (let d = 0; d < needed.length; d += 1) {
    const need = needed[d] as number;
    if (need === 0) continue;
    let left = free[d] as number;
    for (const { lease, amounts } of holds) if (lease !== null && gone.has(lease)) left += amounts[d] as number;
    if (left < need) return false;
  }
  return true;
}
