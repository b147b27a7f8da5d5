/**
 * What a session tells PostgreSQL's planner. What is read here is in memory or on a disk without moving parts; with the usual cost of
 * random reads, the foreign keys of every row that a commit writes would be looked up by reading the whole table of nodes. Compiling
 * expressions takes longer than all that these queries do.
 */
export const plannerSettings: readonly string[] = ['random_page_cost=1.1', 'jit=off'];
