export { type Bench, Skipped, Stage } from './bench.ts';
export { type BenchOptions, benchOf, openNebulaDoubleBench } from './benches.ts';
export type { ConformanceCase } from './case.ts';
export { conformanceCases } from './cases.ts';
export { type CaseResult, firstConformanceLease, runCase, runConformance } from './run.ts';
