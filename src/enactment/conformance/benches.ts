/** Benches for adapters as they are configured. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { NodeSpec } from '../../core/index.ts';
import { type AdapterConfig, createAdapter } from '../registry.ts';
import { isChosen } from '../routed.ts';
import { SimulatedAdapter } from '../simulated/adapter.ts';
import { hostSite } from '../site.ts';
import type { Bench } from './bench.ts';

export interface BenchOptions {
  readonly adapter: AdapterConfig;
  /** The first two that the adapter drives are used. Without any, two are made up. */
  readonly nodes: readonly NodeSpec[];
  /** Of the machines. Null: without a disk. */
  readonly image: Bench['image'];
  readonly capacity: Bench['capacity'];
  readonly log: Logger;
}

const capacityOfNodes = { CPU: 400, Memory: 4096 };

const inventedNodes: readonly NodeSpec[] = [1, 2].map((number) => ({
  number,
  hostname: `node-${number}`,
  capacity: capacityOfNodes,
}));

/** Throws when the adapter drives fewer than two nodes. */
export function benchOf({ adapter, nodes, image, capacity, log }: BenchOptions): Bench {
  const { nodes: choice, ...config } = adapter;
  const driven = hostSite('conformance', nodes.length > 0 ? nodes : inventedNodes)
    .nodes()
    .filter((node) => isChosen(choice, node));
  const [here, there] = driven;
  if (!here || !there)
    throw new Error(`the suite needs two nodes that the adapter drives, and the site has ${driven.length}`);
  const common = { name: config.kind, nodes: [here, there] as const, image, capacity };
  if (config.kind === 'simulated') return simulatedBench(config, common);
  return { ...common, make: (site) => createAdapter([config], { site, log }) };
}

type Common = Pick<Bench, 'name' | 'nodes' | 'image' | 'capacity'>;

/** Machines outlive their adapter, since the suite tries what happens after a restart. */
function simulatedBench(config: AdapterConfig & { kind: 'simulated' }, common: Common): Bench {
  const folder = mkdtempSync(join(tmpdir(), 'leasegraph-conformance-'));
  const stateFile = config.stateFile ?? join(folder, 'machines.json');
  let made: SimulatedAdapter | null = null;
  return {
    ...common,
    make: async () => {
      made = new SimulatedAdapter({ ...config, stateFile });
      return made;
    },
    provideImage: async () => {},
    stopMachine: async (leaseId, machine, { number }) =>
      made?.stopMachine({ leaseId, machine, node: number }),
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}
