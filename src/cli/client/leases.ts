import { CliError } from '../terminal.ts';
import type { Client } from './client.ts';
import { LeaseByNumberDocument, type LeaseRowFragment } from './generated/operations.ts';

/** A lease by its number. Throws CliError. */
export async function findLease(client: Client, number: number): Promise<LeaseRowFragment> {
  const { lease } = await client.request(LeaseByNumberDocument, { number });
  if (lease === null) throw new CliError(`there is no lease ${number} [LEASE_NOT_FOUND]`);
  return lease;
}
