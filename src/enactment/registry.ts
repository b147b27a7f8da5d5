/** Adapters by the name that the configuration gives. */
import type { Logger } from 'pino';
import type { Adapter } from '../engine/ports.ts';
import { SimulatedAdapter, type SimulatedOptions } from './simulated/adapter.ts';
import { DryRunAdapter } from './simulated/dry-run.ts';

export type AdapterConfig =
  | ({ readonly kind: 'simulated' } & SimulatedOptions)
  | { readonly kind: 'dry-run' };

export const adapterKinds = ['simulated', 'dry-run'] as const satisfies readonly AdapterConfig['kind'][];

/** `log` tells what a dry run would do. */
export const createAdapter = (config: AdapterConfig, log: Logger): Adapter =>
  config.kind === 'dry-run' ? new DryRunAdapter(log) : new SimulatedAdapter(config);
