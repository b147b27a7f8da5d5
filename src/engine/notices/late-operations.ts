import type { Instant, ReservationRecord } from '../../core/index.ts';
import type { LateOperation } from './lease-notices.ts';

interface UnderWay {
  readonly end: Instant;
  readonly isLate: boolean;
}

/** Operations that are under way: one whose end is put off is late. */
export class LateOperations {
  private readonly underWay = new Map<number, UnderWay>();

  constructor(reservations: readonly ReservationRecord[]) {
    this.follow(reservations);
  }

  /** Applies the reservations that a turn has changed. Returns what is late by it, by lease. */
  follow(reservations: readonly ReservationRecord[]): ReadonlyMap<number, LateOperation> {
    const late = new Map<number, LateOperation>();
    for (const { end, id, kind, leaseId, state } of reservations) {
      if (kind === 'VM' || kind === 'IMAGE_TRANSFER') continue;
      const before = this.underWay.get(id);
      const isExtended = before !== undefined && state === 'ACTIVE' && end > before.end;
      if (isExtended) late.set(leaseId, { kind, isNew: !before.isLate });
      if (state !== 'ACTIVE') this.underWay.delete(id);
      else this.underWay.set(id, { end, isLate: isExtended || (before?.isLate ?? false) });
    }
    return late;
  }
}
