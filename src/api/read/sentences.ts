import { leasesNamedIn, withLeasesHidden } from '../../core/index.ts';
import type { Readers } from './readers.ts';

/**
 * A sentence of the scheduler as the principal may read it: leases that the principal may not see have no number. The
 * leases that many sentences name are read with one statement.
 */
export async function readable(sentence: string, read: Pick<Readers, 'mayReadLease'>): Promise<string> {
  const leases = leasesNamedIn(sentence);
  if (leases.length === 0) return sentence;
  const visible = await Promise.all(leases.map((number) => read.mayReadLease(number)));
  const hidden = new Set(leases.filter((_number, at) => !visible[at]));
  return withLeasesHidden(sentence, (number) => hidden.has(number));
}
