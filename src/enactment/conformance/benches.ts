/** Benches for configured adapters. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { NodeSpec } from '../../core/index.ts';
import type { HostNode } from '../../engine/ports.ts';
import { OpenNebulaAdapter, type OpenNebulaOptions } from '../opennebula/adapter.ts';
import { type AdapterConfig, createAdapter } from '../registry.ts';
import { isChosen } from '../routed.ts';
import { SimulatedAdapter } from '../simulated/adapter.ts';
import { hostSite } from '../site.ts';
import type { Bench } from './bench.ts';
import { doubleSession, OpenNebulaDouble } from './doubles/opennebula.ts';

export interface BenchOptions {
  readonly adapter: AdapterConfig;
  /** The first two nodes that the adapter drives are used; without nodes, two are invented. */
  readonly nodes: readonly NodeSpec[];
  /** The image of the machines; null: no disk. */
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

/** Throws if the adapter drives fewer than two nodes. */
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

/** Uses a double of the front end if none is configured. */
export async function openNebulaDoubleBench({
  capacity,
  image,
  log,
}: Omit<BenchOptions, 'adapter' | 'nodes'>): Promise<Bench> {
  const [here, there] = hostSite('conformance', inventedNodes).nodes() as [HostNode, HostNode];
  const hosts = [here.address, there.address];
  const double = await OpenNebulaDouble.start({ hosts, delay: 20, images: null });
  const options: OpenNebulaOptions = {
    endpoint: double.endpoint,
    session: doubleSession,
    timeLimit: 10_000,
    namePrefix: 'conformance',
    template: '',
    shutdownGrace: 5_000,
    pollInterval: 10,
    hostRefresh: 60_000,
  };
  return {
    name: 'opennebula, on a double',
    nodes: [here, there],
    capacity,
    image,
    make: async (site) => new OpenNebulaAdapter(options, site, log),
    provideImage: async () => true,
    stopMachine: async (leaseId, machine) => double.powerOff(`conformance-${leaseId}-${machine}`),
    holdSuspension: async (leaseId, machine) => double.hold('suspend', `conformance-${leaseId}-${machine}`),
    close: () => double.close(),
  };
}

/** Machines outlive their adapter, since cases restart it. */
function simulatedBench(config: AdapterConfig & { kind: 'simulated' }, common: Common): Bench {
  const folder = mkdtempSync(join(tmpdir(), 'leasegraph-conformance-'));
  const stateFile = config.stateFile ?? join(folder, 'machines.json');
  let made: SimulatedAdapter | null = null;
  /** Machine -> how often its suspension was begun. */
  const begun = new Map<string, number>();
  const heldTime = 3_600_000;
  let skew = 0;
  return {
    ...common,
    make: async () => {
      made = new SimulatedAdapter({
        ...config,
        ...{ stateFile, now: () => Date.now() + skew },
        delayOf: (kind, { target: { leaseId, machine } }) => {
          const times = begun.get(`${leaseId}/${machine}`);
          if (kind !== 'SUSPEND' || times === undefined) return null;
          begun.set(`${leaseId}/${machine}`, times + 1);
          return heldTime;
        },
      });
      return made;
    },
    provideImage: async () => true,
    holdSuspension: async (leaseId, machine) => {
      begun.set(`${leaseId}/${machine}`, 0);
      return {
        times: () => begun.get(`${leaseId}/${machine}`) ?? 0,
        letGo: () => {
          skew += heldTime;
        },
      };
    },
    stopMachine: async (leaseId, machine, { number }) => made?.stopMachine({ leaseId, machine, node: number }),
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}
