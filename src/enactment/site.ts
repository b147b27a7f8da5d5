import type { CachedImageRecord, NodeSpec } from '../core/index.ts';
import type { HostNode, HostSite } from '../engine/ports.ts';

/** A site with changing nodes. */
export interface ChangingHostSite extends HostSite {
  setNodes(nodes: readonly NodeSpec[]): void;
  setCachedImages(images: readonly CachedImageRecord[]): void;
}

/** The site as adapters see it. */
export function hostSite(name: string, nodes: readonly NodeSpec[]): ChangingHostSite {
  let hosts = nodes.map(hostNode);
  let images: ReadonlyMap<number, readonly string[]> | null = null;
  return {
    name,
    nodes: () => hosts,
    cachedImages: (node) => images && (images.get(node) ?? []),
    setCachedImages: (now) => {
      const kept = new Map<number, string[]>();
      for (const { image, node } of now) kept.set(node, [...(kept.get(node) ?? []), image.name]);
      images = kept;
    },
    setNodes: (now) => {
      hosts = now.map(hostNode);
    },
  };
}

function hostNode({ number, hostname, address, labels, capacity }: NodeSpec): HostNode {
  return { number, hostname, address: address ?? hostname, labels: labels ?? {}, capacity };
}
