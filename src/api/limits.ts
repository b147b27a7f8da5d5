/** Limits of a request and of a response. */

export const maxPageSize = 100;
export const defaultPageSize = 50;

/** Maximum number of machines per lease. */
export const maxMachines = 10_000;
/** Maximum number of samples of a `utilization` field. */
export const maxSamples = 10_000;
/** Maximum number of reservations of a `schedule` field. */
export const maxScheduled = 10_000;
/** Maximum number of machines, reservation targets and other entries of unpaged lists per response. */
export const maxEntries = 5 * maxMachines;
/**
 * Lists whose length is not known before execution (extension `entries`): how many elements count of each. Of
 * `machines`, the number in the input counts where a field has it (extension `machines`); of `nodes`, the number of the
 * site's nodes, where it is known, and of all of them no more than `maxEntries`.
 */
export const expectedEntries = { machines: 50, nodes: 50, holdings: 100 };
export type Entries = keyof typeof expectedEntries;

/** The value of the extension `machines`. */
export interface MachinesSize {
  readonly machines: number;
  /** Of one machine: the length of lists with the extension `listSize: 'amounts'`. */
  readonly amounts: number;
}
/** Maximum number of leases of a list that says which leases a change displaces, and of occurrences of a recurrence. */
export const maxListed = 1_000;
/** Maximum number of `Availability.windows`. */
export const maxWindows = 1_000;
/** Maximum length of a name or a key. */
export const maxTextLength = 200;
/** Maximum length of the URL of a webhook. */
export const maxUrlLength = 2_000;
/** An operation costs one for each object that it can return, and one for so many characters of text. */
export const charactersPerCost = 1_000;

/** Maximum column values. */
export const maxInt = 2 ** 31 - 1;
export const maxLong = Number.MAX_SAFE_INTEGER;
