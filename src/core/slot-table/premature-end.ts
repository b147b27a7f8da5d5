import type { VmReservation } from '../model/lease.ts';
import type { Instant } from '../model/records.ts';
import { SECOND } from '../model/time.ts';

/** When its machines will end by themselves, if that is before its end (R20); a machine runs for a second at least. */
export function prematureEnd(vm: VmReservation): Instant | null {
  const { knownDuration, accumulated } = vm.lease;
  if (knownDuration === null) return null;
  const left = knownDuration - accumulated - vm.plannedBefore;
  const end = vm.start + Math.max(left, SECOND);
  return left < vm.end - vm.start && end < vm.end ? end : null;
}
