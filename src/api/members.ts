import { clientError } from './client-error.ts';
import { mostMachines } from './lease/validation.ts';

/** Machines, targets of reservations and the like that one response may have: five leases of any size, or thousands of usual ones. */
export const mostMembers = 5 * mostMachines;

/**
 * Counts what is in the lists without pages of one response. They have as many members as a request for a lease asked for, so what they cost is
 * known only while the response is made.
 */
export class Members {
  private count = 0;

  /** Before they are read. Throws OPERATION_TOO_LARGE when a response gets more than the server can make without letting others wait. */
  take(members: number): void {
    this.count += members;
    if (this.count <= mostMembers) return;
    throw clientError(
      'OPERATION_TOO_LARGE',
      `${this.count} machines, or nodes of reservations, are asked for; at most ${mostMembers} are given at once. Ask for smaller pages.`,
    );
  }
}
