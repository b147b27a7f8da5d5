/** What a delivery says: the same for each attempt. */
import type { Delivery } from './queue.ts';

/** JSON. */
export function bodyOf({ id, createdAt, notice }: Delivery, site: string): string {
  if (notice === null) {
    return JSON.stringify({
      ...{ id, kind: 'TEST', at: createdAt.toISOString(), site },
      message: 'This is a test.',
    });
  }
  const { sequence, at, kind, leaseNumber, projectNumber, nodeNumber, message, facts } = notice;
  const { reasonCode, reasonMessage } = notice;
  const instants = Object.entries(facts as Readonly<Record<string, unknown>>).map(([name, value]) => [
    name,
    typeof value === 'number' ? new Date(value).toISOString() : value,
  ]);
  return JSON.stringify({
    ...{ id, kind, at: at.toISOString(), site, message, sequence: Number(sequence) },
    lease: objectOf('Lease', leaseNumber),
    project: objectOf('Project', projectNumber),
    node: objectOf('ComputeNode', nodeNumber),
    reason: reasonCode === null ? null : { code: reasonCode, message: reasonMessage },
    ...Object.fromEntries(instants),
  });
}

/** An object by its number and its global id in the API. */
function objectOf(type: string, number: number | null) {
  return number === null ? null : { id: Buffer.from(`${type}:${number}`).toString('base64'), number };
}
