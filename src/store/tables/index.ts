/** The tables and the mapping of record fields to columns. A new field needs a column here and a migration. */
export * from './history.ts';
export * from './leases.ts';
export * from './recurrences.ts';
export * from './reservations.ts';
export { cachedImage, inventory, maintenance, nodeStates, nodes, projectQuotas, sites } from './site.ts';
