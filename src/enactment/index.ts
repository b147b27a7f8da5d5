export { DryRunAdapter } from './dry-run.ts';
export { type AdapterConfig, adapterKinds, createAdapter } from './registry.ts';
export { SimulatedAdapter, type SimulatedOptions } from './simulated.ts';
