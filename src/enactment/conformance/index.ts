export { type Bench, Skipped, Stage } from './bench.ts';
export { type ConformanceCase, conformanceCases } from './cases.ts';
export { type CaseResult, firstConformanceLease, runCase, runConformance } from './run.ts';
