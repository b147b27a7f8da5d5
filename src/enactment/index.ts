export { type AdapterConfig, adapterKinds, createAdapter } from './registry.ts';
export { SimulatedAdapter, type SimulatedOptions } from './simulated/adapter.ts';
export { DryRunAdapter } from './simulated/dry-run.ts';
