import { type NodeSpec, SchedulerError, type SiteSpec, validateSite } from '../core/index.ts';
import { ConfigurationError, configurationError, found, parsing } from './error.ts';
import { type FileConfig, siteSchema } from './schema.ts';
import { parseSiteLine } from './site-line.ts';

export interface ConfiguredSite {
  readonly name: string;
  readonly spec: SiteSpec;
}

/** The site of a server without a configured one: enough to try everything. */
export const demonstrationSite: ConfiguredSite = {
  name: 'demonstration',
  spec: {
    resourceTypes: ['CPU', 'Memory'],
    nodes: [1, 2, 3, 4].map((number) => ({
      number,
      hostname: `node-${number}`,
      capacity: { CPU: 400, Memory: 8192 },
    })),
  },
};

/** Numbers and names the nodes. Throws ConfigurationError. */
export function configuredSite(
  file: string,
  { name, nodes: sets, resourceTypes }: NonNullable<FileConfig['site']>,
): ConfiguredSite {
  const invalid = (detail: string) => new ConfigurationError('INVALID_VALUE', `${file}: ${detail}`);
  const nodes: NodeSpec[] = [];
  sets.forEach(({ count, hostname = 'node-%d', address, labels, capacity }, index) => {
    if (count > 1 && !hostname.includes('%d')) {
      throw invalid(
        `site.nodes[${index}].hostname: ${found(hostname)} was found for ${count} nodes, expected %d in place of the number`,
      );
    }
    for (let nth = 0; nth < count; nth += 1) {
      const number = nodes.length + 1;
      const numbered = (text: string): string => text.replaceAll('%d', String(number));
      nodes.push({
        number,
        hostname: numbered(hostname),
        capacity,
        ...(address !== undefined && { address: numbered(address) }),
        ...(labels && Object.keys(labels).length > 0 && { labels }),
      });
    }
  });
  const types = resourceTypes ?? [...new Set(nodes.flatMap(({ capacity }) => Object.keys(capacity)))];
  const names = new Set<string>();
  for (const node of nodes) {
    if (names.has(node.hostname)) {
      throw invalid(`site.nodes: two nodes have the hostname ${found(node.hostname)}`);
    }
    names.add(node.hostname);
  }
  const spec = { resourceTypes: types, nodes };
  try {
    validateSite(spec);
  } catch (error) {
    if (error instanceof SchedulerError) throw invalid(`site: ${error.message}`);
    throw error;
  }
  return { name, spec };
}

/** The site that `--site` gives. Throws ConfigurationError. */
export function siteOption(text: string): SiteSpec {
  try {
    const parsed = siteSchema().safeParse(parseSiteLine(text), parsing);
    if (parsed.success) return configuredSite('--site', parsed.data).spec;
    throw configurationError(
      parsed.error,
      () => [],
      () => ({ file: '--site', line: null, name: null }),
    );
  } catch (error) {
    if (!(error instanceof ConfigurationError) || error.message.startsWith('--site')) throw error;
    throw new ConfigurationError(error.code, `--site: ${error.message}`);
  }
}
