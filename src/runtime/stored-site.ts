import { ConfigurationError, type ConfiguredSite, demonstrationSite } from '../config/index.ts';
import type { SiteSpec } from '../core/index.ts';
import { canonicalJson } from '../engine/index.ts';
import type { ComputeNode, PrismaClient } from '../store/prisma/client.ts';

/** The stored site, which the configured one must be equal to, if there is one. Throws ConfigurationError. */
export async function siteOf(
  prisma: PrismaClient,
  configured: ConfiguredSite | null,
): Promise<ConfiguredSite> {
  const [row, nodes] = await Promise.all([
    prisma.site.findUnique({ where: { id: 1 }, select: { name: true, resourceTypes: true } }),
    prisma.computeNode.findMany({ orderBy: { number: 'asc' } }),
  ]);
  if (row === null) return configured ?? demonstrationSite;
  const spec = { resourceTypes: row.resourceTypes, nodes: nodes.map(nodeSpec) } as unknown as SiteSpec;
  const stored = { name: row.name, spec };
  const difference = configured && differenceBetween(stored, configured);
  if (difference) {
    throw new ConfigurationError(
      'INVALID_VALUE',
      `site: the database holds another site than the configuration: ${difference}. A site is fixed when it is first written: take the site out of the configuration to go on with the stored one, or use another database or data directory.`,
    );
  }
  return stored;
}

/** As it is configured: empty values are left out, and so is the state, which changes while the server runs. */
const nodeSpec = ({ number, hostname, capacity, address, labels }: ComputeNode) => ({
  number,
  hostname,
  capacity,
  ...(address !== null && { address }),
  ...(Object.keys(labels as object).length > 0 && { labels }),
});

function differenceBetween(stored: ConfiguredSite, configured: ConfiguredSite): string | null {
  if (stored.name !== configured.name) return `it is called "${stored.name}", not "${configured.name}"`;
  const [types, otherTypes] = [
    stored.spec.resourceTypes.join(', '),
    configured.spec.resourceTypes.join(', '),
  ];
  if (types !== otherTypes) return `its resource types are ${types}, not ${otherTypes}`;
  if (stored.spec.nodes.length !== configured.spec.nodes.length) {
    return `it has ${stored.spec.nodes.length} nodes, not ${configured.spec.nodes.length}`;
  }
  const other = stored.spec.nodes.findIndex(
    (node, index) => canonicalJson(node) !== canonicalJson(configured.spec.nodes[index]),
  );
  return other < 0
    ? null
    : `node ${other + 1} is ${canonicalJson(stored.spec.nodes[other])}, not ${canonicalJson(configured.spec.nodes[other])}`;
}
