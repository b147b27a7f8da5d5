/** Operator decisions on stuck actions. */
export const recoveries = ['RETRY', 'ASSUME_SUCCESS', 'ASSUME_FAILURE'] as const;
export type Recovery = (typeof recoveries)[number];
