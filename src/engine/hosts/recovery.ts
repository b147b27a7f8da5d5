/** What an operator decides about an action that is stuck. */
export const recoveries = ['RETRY', 'ASSUME_SUCCESS', 'ASSUME_FAILURE'] as const;
export type Recovery = (typeof recoveries)[number];
