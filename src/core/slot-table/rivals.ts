import type { Reservation } from '../model/lease.ts';

/** Of reservations that end at one instant, those whose order has consequences: what follows each end sees the rest. */
export const rivals: Partial<Record<Reservation['kind'], Reservation['kind']>> = {
  VM: 'VM',
  SUSPENSION: 'SUSPENSION',
  SHUTDOWN: 'IMAGE_TRANSFER',
};
