import type { LeaseView } from '../model/lease-view.ts';
import type { StateReason } from '../model/records.ts';
import type { SiteView } from './views.ts';

/** Admission policy, applied when a lease is requested. */
export interface AdmissionPolicy {
  /** Null admits the lease; a reason rejects it. */
  admit(lease: LeaseView, site: SiteView): StateReason | null;
}

export const acceptAll: AdmissionPolicy = { admit: () => null };

export const noAdvanceReservations: AdmissionPolicy = {
  admit: (lease) =>
    lease.type === 'ADVANCE_RESERVATION'
      ? { code: 'REFUSED_BY_ADMISSION', message: 'this site takes no advance reservations' }
      : null,
};
