import DataLoader from 'dataloader';
import { CommandError, type HostFacts } from '../engine/ports.ts';
import type { ApiContext } from './context.ts';
import type { Readers } from './read/readers.ts';

/** Maximum number of nodes per question. */
const maxNodes = 1_000;
/** By response. */
const loaders = new WeakMap<Readers, DataLoader<number, HostFacts | null>>();

/** What the writer knows of the host of a node. Null while there is no writer. */
export function hostFacts({ principal, read, services }: ApiContext, node: number): Promise<HostFacts | null> {
  let loader = loaders.get(read);
  if (!loader) {
    loader = new DataLoader(
      async (nodes) => {
        try {
          return await services.leases.submit('hostFacts', { nodes }, { principal });
        } catch (error) {
          if (error instanceof CommandError && error.retryable) return nodes.map(() => null);
          throw error;
        }
      },
      { maxBatchSize: maxNodes },
    );
    loaders.set(read, loader);
  }
  return loader.load(node);
}
