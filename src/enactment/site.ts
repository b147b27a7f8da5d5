import type { NodeSpec } from '../core/index.ts';
import type { HostNode, HostSite } from '../engine/ports.ts';

/** A site whose nodes change. */
export interface ChangingHostSite extends HostSite {
  setNodes(nodes: readonly NodeSpec[]): void;
}

/** The site as adapters see it. */
export function hostSite(name: string, nodes: readonly NodeSpec[]): ChangingHostSite {
  let hosts = nodes.map(hostNode);
  return {
    name,
    nodes: () => hosts,
    setNodes: (now) => {
      hosts = now.map(hostNode);
    },
  };
}

function hostNode({ number, hostname, address, labels, capacity }: NodeSpec): HostNode {
  return { number, hostname, address: address ?? hostname, labels: labels ?? {}, capacity };
}
