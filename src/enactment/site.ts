import type { NodeSpec } from '../core/index.ts';
import type { HostNode, HostSite } from '../engine/ports.ts';

/** The site as adapters see it. */
export function hostSite(name: string, nodes: readonly NodeSpec[]): HostSite {
  const hosts = nodes.map(
    ({ number, hostname, address, labels, capacity }): HostNode => ({
      number,
      hostname,
      address: address ?? hostname,
      labels: labels ?? {},
      capacity,
    }),
  );
  return { name, nodes: () => hosts };
}
