import { clientError } from './client-error.ts';
import { mostMachines } from './lease/validation.ts';

/** Machines, targets of reservations and the like that one response may have: five leases of any size, or thousands of usual ones. */
export const mostMembers = 5 * mostMachines;

/** A list with more members is read and made while no other such list is. */
const large = 500;
/** Rounds of the event loop from one large list to the next: as many as a small operation takes to be answered. */
const rounds = 5;

/** The large list that was asked for last, by whomever, is there, and others have had their turn. */
let lastMade: Promise<unknown> = Promise.resolve();

/**
 * Lists without pages, as long as a request for a lease made them: what they cost is known only while a response is made. One response has one
 * of these.
 */
export class Members {
  private count = 0;

  /** Before they are read. Throws OPERATION_TOO_LARGE when a response gets more than the server can make without letting others wait. */
  take(members: number): void {
    this.count += members;
    this.refuseTooMany();
  }

  /**
   * Takes and reads them; large lists one after the other. Many subscribers that are told of a lease with thousands of machines would otherwise
   * hold the server up together, and fill its memory at once.
   */
  async read<T>(members: number, read: () => Promise<T>): Promise<T> {
    this.take(members);
    if (members <= large) return read();
    const list = lastMade.then(() => {
      // Meanwhile the response may have become too large, or was given up for that.
      this.refuseTooMany();
      return read();
    });
    lastMade = list.then(letOthersWork, letOthersWork);
    return list;
  }

  private refuseTooMany(): void {
    if (this.count <= mostMembers) return;
    throw clientError(
      'OPERATION_TOO_LARGE',
      `${this.count} machines, or nodes of reservations, are asked for; at most ${mostMembers} are given at once. Ask for smaller pages.`,
    );
  }
}

async function letOthersWork(): Promise<void> {
  for (let round = 0; round < rounds; round += 1) await new Promise((resolve) => setImmediate(resolve));
}
