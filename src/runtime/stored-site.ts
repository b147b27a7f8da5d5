import {
  ConfigurationError,
  type ConfiguredSite,
  demonstrationSite,
  type SiteDifference,
  siteDifference,
} from '../config/index.ts';
import type { NodeSpec, SiteSpec } from '../core/index.ts';
import type { ComputeNode, PrismaClient } from '../store/prisma/client.ts';

export interface SiteInUse {
  readonly site: ConfiguredSite;
  /** How the configured site differs from it; null where it does not, and without a configured one. */
  readonly difference: SiteDifference | null;
}

/**
 * The stored site; where there is none, the configured one. Throws ConfigurationError for a configuration that is of
 * another site: with another name, or with resource types that the stored one does not have.
 */
export async function siteInUse(prisma: PrismaClient, configured: ConfiguredSite | null): Promise<SiteInUse> {
  const stored = await storedSite(prisma);
  if (stored === null) return { site: configured ?? demonstrationSite, difference: null };
  const difference = configured && siteDifference(stored, configured);
  const [fixed] = difference?.fixed ?? [];
  if (fixed !== undefined) {
    throw new ConfigurationError(
      'INVALID_VALUE',
      `site: the database holds another site than the configuration: ${fixed}. Name and resource types are fixed when a site is first written: change the configuration, or use another database or data directory.`,
    );
  }
  return { site: stored, difference };
}

/** Null for a database without a site. Removed nodes are listed without capacity. */
export async function storedSite(prisma: PrismaClient): Promise<ConfiguredSite | null> {
  const [row, nodes] = await Promise.all([
    prisma.site.findUnique({ where: { id: 1 }, select: { name: true, resourceTypes: true } }),
    prisma.computeNode.findMany({ orderBy: { number: 'asc' } }),
  ]);
  if (row === null) return null;
  const spec: SiteSpec = { resourceTypes: row.resourceTypes, nodes: nodes.map(nodeSpec) };
  return { name: row.name, spec };
}

/** As it is configured: empty values are left out, and so is the state, which changes while the server runs. */
function nodeSpec({ number, hostname, capacity, address, labels }: ComputeNode): NodeSpec {
  return {
    ...{ number, hostname, capacity: capacity as NodeSpec['capacity'] },
    ...(address !== null && { address }),
    ...(Object.keys(labels as object).length > 0 && { labels: labels as NodeSpec['labels'] }),
  };
}
