/**
 * The tables, and which column keeps which field of a record. A new field of a record gets its column here, and a
 * migration.
 */
export * from './history.ts';
export * from './leases.ts';
export * from './recurrences.ts';
export * from './reservations.ts';
export { cachedImage, inventory, maintenance, nodeStates, nodes, projectQuotas, sites } from './site.ts';
