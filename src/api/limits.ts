/** Limits of what one request can name and of what one response can hold. */

export const maxPageSize = 100;
export const defaultPageSize = 50;

/** Machines of one lease. */
export const maxMachines = 10_000;
/** Samples of one `utilization` field. */
export const maxSamples = 10_000;
/** Reservations of one `schedule` field. */
export const maxScheduled = 10_000;
/** Machines, reservation targets and other list entries without pages in one response. */
export const maxEntries = 5 * maxMachines;
/** Characters of a name or a key. */
export const maxTextLength = 200;

/** The largest values of columns. */
export const maxInt = 2 ** 31 - 1;
export const maxLong = Number.MAX_SAFE_INTEGER;
