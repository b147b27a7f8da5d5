import { type NodeSpec, SchedulerError, type SiteSpec, validateSite } from '../core/index.ts';
import { ConfigurationError } from './error.ts';
import type { FileConfig } from './schema.ts';

export interface ConfiguredSite {
  readonly name: string;
  readonly spec: SiteSpec;
}

/** What a server schedules that is told nothing: enough to try everything on. */
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
  const nodes: NodeSpec[] = [];
  sets.forEach(({ count, hostname = 'node-%d', capacity }, index) => {
    if (count > 1 && !hostname.includes('%d')) {
      throw new ConfigurationError(
        `${file}: site.nodes[${index}].hostname: ${count} nodes would have one name; put %d where their number is to stand`,
      );
    }
    for (let nth = 0; nth < count; nth += 1) {
      const number = nodes.length + 1;
      nodes.push({ number, hostname: hostname.replaceAll('%d', String(number)), capacity });
    }
  });
  const types = resourceTypes ?? [...new Set(nodes.flatMap(({ capacity }) => Object.keys(capacity)))];
  const names = new Set<string>();
  for (const node of nodes) {
    if (names.has(node.hostname)) {
      throw new ConfigurationError(
        `${file}: site.nodes: two nodes are called ${JSON.stringify(node.hostname)}`,
      );
    }
    names.add(node.hostname);
  }
  const spec = { resourceTypes: types, nodes };
  try {
    validateSite(spec);
  } catch (error) {
    if (error instanceof SchedulerError) throw new ConfigurationError(`${file}: site: ${error.message}`);
    throw error;
  }
  return { name, spec };
}
