/** Operator decisions on stuck actions. */
export const recoveries = ['RETRY', 'ASSUME_SUCCESS', 'ASSUME_FAILURE'] as const;
export type Recovery = (typeof recoveries)[number];

/**
 * `NOT_OPEN`: there is no such action, or it has ended. `REMOVAL`: it removes machines, and is repeated until they are
 * gone.
 */
export type RecoveryOutcome = 'RECOVERED' | 'NOT_OPEN' | 'REMOVAL';
