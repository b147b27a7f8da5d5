import { leasesNamedIn, withLeasesHidden } from '../../core/index.ts';
import { hasRole, type Identity } from '../../identity/index.ts';
import type { Readers } from './readers.ts';

/** Whether a notice says more of a node to operators: what its host answered, or what an operator wrote. */
export function isForOperators({ kind }: { readonly kind: string }, principal: Identity): boolean {
  return (kind === 'NODE_DOWN' || kind === 'NODE_UP') && !hasRole(principal, 'OPERATOR');
}

/** The sentence of a notice without its reason. */
export function withoutReason(sentence: string): string {
  const [short = ''] = sentence.split(': ', 1);
  return short.endsWith('.') ? short : `${short}.`;
}

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
