export type { HostCall } from './measured.ts';
export type { AdapterFactory, ModuleContext } from './module.ts';
export { AdapterError } from './module.ts';
export { type AdapterConfig, type AdapterContext, createAdapter } from './registry.ts';
export { SimulatedAdapter, type SimulatedOptions } from './simulated/adapter.ts';
export { DryRunAdapter } from './simulated/dry-run.ts';
export { hostSite } from './site.ts';
