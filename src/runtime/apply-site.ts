import type { Logger } from 'pino';
import type { ServerConfig, SiteDifference } from '../config/index.ts';
import { differenceLines } from '../config/index.ts';
import { CommandError, type LeaseService } from '../engine/index.ts';

/** Says how the configured site differs from the stored one, which is used. */
export function warnOfDifference(difference: SiteDifference, log: Logger): void {
  log.warn(
    { differences: differenceLines(difference) },
    'the site in the configuration differs from the stored one, which is used; "leasegraph site diff" shows the differences, and "leasegraph site apply" or "serve --apply-site" applies them',
  );
}

/**
 * Adds and changes nodes as configured; with `prune`, removes those that are not configured. What is refused, such as a
 * change of a node that leases use, is logged, and the rest is applied.
 */
export async function applySite(
  leases: Pick<LeaseService, 'submit'>,
  { added, changed, removed }: SiteDifference,
  mode: Exclude<ServerConfig['applySite'], 'no'>,
  log: Logger,
): Promise<void> {
  const options = { principal: { name: 'configuration' } };
  const attempt = async (what: string, change: () => Promise<unknown>): Promise<void> => {
    try {
      await change();
      log.info(`the site was changed as configured: ${what}`);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      log.error({ code: error.code }, `the site was not changed as configured: ${what}: ${error.message}`);
    }
  };
  if (added.length > 0) {
    const nodes = added.map(({ hostname, capacity, address, labels }) => ({
      hostname,
      capacity,
      address,
      labels,
    }));
    const names = added.map(({ hostname }) => hostname).join(', ');
    await attempt(`${names} added`, () => leases.submit('addNodes', { nodes }, options));
  }
  for (const { details, hostname, number, update } of changed) {
    await attempt(`${hostname} ${details.join(', ')}`, () =>
      leases.submit('updateNode', { node: number, ...update }, options),
    );
  }
  const kept = mode === 'prune' ? [] : removed;
  for (const { hostname, number } of mode === 'prune' ? removed : []) {
    await attempt(`${hostname} removed`, () => leases.submit('removeNode', { node: number }, options));
  }
  if (kept.length > 0) {
    const names = kept.map(({ hostname }) => hostname);
    log.warn({ nodes: names }, 'nodes that are not in the configuration are kept; "--prune" removes them');
  }
}
