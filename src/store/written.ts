import type { LeaseRecord, ReservationRecord } from '../core/index.ts';
import { isFinal } from '../core/index.ts';
import type { CommitBatch } from '../engine/ports.ts';

/**
 * What the writer knows to be in the database of live leases, so that a change of state does not write all their machines and nodes
 * again. Mappings and amounts never change once made: what is the same object is the same.
 */
export class Written {
  readonly #amounts = new Map<number, ReservationRecord['amounts']>();
  readonly #machines = new Map<number, Pick<LeaseRecord, 'machines' | 'mapping'>>();

  hasAmounts({ id, amounts }: ReservationRecord): boolean {
    return this.#amounts.get(id) === amounts;
  }

  hasMachines({ id, machines, mapping }: LeaseRecord): boolean {
    const known = this.#machines.get(id);
    // Without a mapping the machines are where their memory is, which says less.
    return mapping !== null && known?.machines === machines && known.mapping === mapping;
  }

  /** The batch has been written. */
  add({ changes }: CommitBatch): void {
    for (const { id, state, machines, mapping } of changes.leases) {
      if (isFinal(state)) this.#machines.delete(id);
      else this.#machines.set(id, { machines, mapping });
    }
    for (const { id, state, amounts } of changes.reservations) {
      if (state === 'SCHEDULED' || state === 'ACTIVE') this.#amounts.set(id, amounts);
      else this.#amounts.delete(id);
    }
    for (const id of changes.withdrawn) this.#amounts.delete(id);
  }

  /** Another process may write, or has written. */
  clear(): void {
    this.#amounts.clear();
    this.#machines.clear();
  }
}
