/** The site of a running server, in the form of a configuration. */
import type { ConfiguredSite } from '../../config/index.ts';
import type { Amounts, NodeSpec } from '../../core/index.ts';
import { type Client, readAll } from './client.ts';
import { SiteInventoryDocument, type SiteInventoryQuery } from './generated/operations.ts';

interface AmountInput {
  readonly type: string;
  readonly amount: number;
}

export async function siteInventory(client: Client): Promise<{
  readonly site: ConfiguredSite;
  /** Host name -> global id. */
  readonly ids: ReadonlyMap<string, string>;
  /** The options of the scheduler that the server uses. */
  readonly scheduler: Readonly<Record<string, unknown>>;
}> {
  const answers: SiteInventoryQuery[] = [];
  const nodes = await readAll(async (after, first) => {
    const answer = await client.request(SiteInventoryDocument, { first, after });
    answers.push(answer);
    return answer.nodes;
  });
  const [answer] = answers;
  const { name = '', resourceTypes = [] } = answer?.site ?? {};
  const specs = nodes.map(({ number, hostname, address, capacity, labels }) => ({
    ...{ number, hostname, capacity: amountsOf(capacity) },
    ...(address !== null && { address }),
    ...(labels.length > 0 && { labels: Object.fromEntries(labels.map(({ key, value }) => [key, value])) }),
  }));
  return {
    site: { name, spec: { resourceTypes, nodes: specs } },
    ids: new Map(nodes.map(({ hostname, id }) => [hostname, id])),
    scheduler: (answer?.scheduler?.configuration ?? {}) as Readonly<Record<string, unknown>>,
  };
}

function amountsOf(capacity: readonly AmountInput[]): Amounts {
  const types = new Map<string, number[]>();
  for (const { type, amount } of capacity) types.set(type, [...(types.get(type) ?? []), amount]);
  return Object.fromEntries(
    [...types].map(([type, instances]) => [type, instances.length === 1 ? (instances[0] ?? 0) : instances]),
  );
}

export function amountsInput(capacity: Amounts): AmountInput[] {
  return Object.entries(capacity).flatMap(([type, amount]) =>
    (typeof amount === 'number' ? [amount] : amount).map((each) => ({ type, amount: each })),
  );
}

export function labelsInput(labels: NodeSpec['labels']): { key: string; value: string }[] {
  return Object.entries(labels ?? {}).map(([key, value]) => ({ key, value }));
}
