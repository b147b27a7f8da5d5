export const median = (values: readonly number[]): number => percentile(values, 50);

/** The smallest value that at least `percent` of them do not exceed. */
export const percentile = (values: readonly number[], percent: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
};

/** k where the time grows as n^k between two measurements. */
export const growth = (n: readonly [number, number], time: readonly [number, number]): number =>
  Math.log(time[1] / time[0]) / Math.log(n[1] / n[0]);
