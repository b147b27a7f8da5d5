/** Adapters by their name in the configuration. */
import type { Logger } from 'pino';
import type { Adapter, HostSite } from '../engine/ports.ts';
import { CommandAdapter, type CommandOptions } from './command/adapter.ts';
import { LibvirtAdapter } from './libvirt/adapter.ts';
import type { LibvirtOptions } from './libvirt/options.ts';
import { type HostCall, measured } from './measured.ts';
import { loadAdapter, type ModuleOptions } from './module.ts';
import { OpenNebulaAdapter, type OpenNebulaOptions } from './opennebula/adapter.ts';
import { isChosen, type NodeChoice, RoutedAdapter } from './routed.ts';
import { SimulatedAdapter, type SimulatedOptions } from './simulated/adapter.ts';
import { DryRunAdapter } from './simulated/dry-run.ts';

export type AdapterConfig = { readonly nodes?: NodeChoice } & (
  | ({ readonly kind: 'simulated' } & SimulatedOptions)
  | { readonly kind: 'dry-run' }
  | ({ readonly kind: 'command' } & CommandOptions)
  | ({ readonly kind: 'libvirt' } & LibvirtOptions)
  | ({ readonly kind: 'opennebula' } & OpenNebulaOptions)
  | ({ readonly kind: 'module' } & ModuleOptions)
);

export interface AdapterContext {
  readonly site: HostSite;
  readonly log: Logger;
  /** Called for each call of the adapter. */
  readonly observe?: (call: HostCall) => void;
}

/**
 * Creates the adapter of the site, or several, each for its nodes. Throws AdapterError for a module that is not an
 * adapter.
 */
export async function createAdapter(configs: readonly AdapterConfig[], context: AdapterContext): Promise<Adapter> {
  const [only, ...others] = configs;
  if (only && others.length === 0 && !only.nodes) return createOne(only, context);
  const { nodes } = context.site;
  const parts = await Promise.all(
    configs.map(async (config) => {
      const choice = config.nodes ?? {};
      const site: HostSite = {
        ...context.site,
        nodes: () => nodes().filter((node) => isChosen(choice, node)),
      };
      return { choice, adapter: await createOne(config, { ...context, site }) };
    }),
  );
  return new RoutedAdapter(parts, context.site);
}

async function createOne(config: AdapterConfig, context: AdapterContext): Promise<Adapter> {
  const adapter = await adapterOf(config, context);
  return context.observe ? measured(adapter, context.observe) : adapter;
}

async function adapterOf(config: AdapterConfig, { site, log }: AdapterContext): Promise<Adapter> {
  switch (config.kind) {
    case 'simulated':
      return new SimulatedAdapter(config);
    case 'dry-run':
      return new DryRunAdapter(log);
    case 'command':
      return new CommandAdapter(config, site, log);
    case 'libvirt':
      return new LibvirtAdapter(config, site, log);
    case 'opennebula':
      return new OpenNebulaAdapter(config, site, log);
    case 'module':
      return loadAdapter(config, { site, log });
  }
}
