import { isFinal, leaseTransitions } from '../../core/index.ts';
import type { LeaseState } from './generated/operations.ts';

export const leaseStates: readonly LeaseState[] = Object.keys(leaseTransitions) as LeaseState[];

export { isFinal };
