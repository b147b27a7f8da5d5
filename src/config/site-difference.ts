/** How the site in a configuration differs from the one that is stored. */
import type { Amounts, NodeSpec, NodeUpdate } from '../core/index.ts';
import type { ConfiguredSite } from './site.ts';

export interface ChangedNode {
  readonly number: number;
  readonly hostname: string;
  /** What would be changed. */
  readonly update: NodeUpdate;
  /** What of it, from what and to what, for people. */
  readonly details: readonly string[];
}

/** Nodes are compared by host name: their numbers are given when they are added. */
export interface SiteDifference {
  /** In the configuration only. */
  readonly added: readonly NodeSpec[];
  /** Stored only. */
  readonly removed: readonly NodeSpec[];
  readonly changed: readonly ChangedNode[];
  /** Sentences about what cannot be changed. */
  readonly fixed: readonly string[];
}

/** Null when the site is stored as it is configured. */
export function siteDifference(stored: ConfiguredSite, configured: ConfiguredSite): SiteDifference | null {
  // A removed node is kept without capacity.
  const present = stored.spec.nodes.filter(({ capacity }) => Object.keys(capacity).length > 0);
  const known = new Map(present.map((node) => [node.hostname, node]));
  const wanted = new Map(configured.spec.nodes.map((node) => [node.hostname, node]));
  const changed = configured.spec.nodes.flatMap((node) => {
    const before = known.get(node.hostname);
    return before === undefined ? [] : (change(before, node) ?? []);
  });
  const difference = {
    added: configured.spec.nodes.filter(({ hostname }) => !known.has(hostname)),
    removed: present.filter(({ hostname }) => !wanted.has(hostname)),
    changed,
    fixed: fixedDifferences(stored, configured),
  };
  return Object.values(difference).every((part) => part.length === 0) ? null : difference;
}

function change(before: NodeSpec, after: NodeSpec): ChangedNode | null {
  const address = [before.address, after.address].map((each) => each ?? '(its host name)');
  const capacity = [before.capacity, after.capacity].map(shownCapacity);
  const labels = [before.labels, after.labels].map(shownLabels);
  const details: string[] = [];
  const compare = (name: string, [from = '', to = '']: readonly string[]): boolean => {
    if (from === to) return false;
    details.push(`${name} ${from} -> ${to}`);
    return true;
  };
  const update: NodeUpdate = {
    ...(compare('capacity', capacity) && { capacity: after.capacity }),
    ...(compare('address', address) && { address: after.address ?? null }),
    ...(compare('labels', labels) && { labels: after.labels ?? {} }),
  };
  const { hostname, number } = before;
  return details.length === 0 ? null : { number, hostname, update, details };
}

function fixedDifferences(stored: ConfiguredSite, configured: ConfiguredSite): string[] {
  const types = new Set(stored.spec.resourceTypes);
  const unknown = configured.spec.resourceTypes.filter((type) => !types.has(type));
  return [
    ...(stored.name === configured.name ? [] : [`it is called "${stored.name}", not "${configured.name}"`]),
    ...(unknown.length === 0
      ? []
      : [`its resource types are ${stored.spec.resourceTypes.join(', ')}, without ${unknown.join(', ')}`]),
  ];
}

/** Without empty instances at the end: a node that stands for the number of instances of its site lists them. */
export function shownCapacity(capacity: Amounts): string {
  return Object.entries(capacity)
    .map(([type, amount]) => {
      const instances = [amount].flat();
      const last = instances.findLastIndex((each) => each > 0);
      return `${type}:${instances.slice(0, Math.max(last, 0) + 1).join('+')}`;
    })
    .sort()
    .join(' ');
}

function shownLabels(labels: NodeSpec['labels']): string {
  const entries = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return entries.length === 0 ? '(none)' : entries.sort().join(' ');
}

/** A line per difference: `+` is in the configuration only, `-` is stored only, `~` would be changed. */
export function differenceLines({ added, changed, fixed, removed }: SiteDifference): string[] {
  return [
    ...fixed.map((sentence) => `! ${sentence}`),
    ...added.map(({ hostname, capacity }) => `+ ${hostname} ${shownCapacity(capacity)}`),
    ...changed.map(({ hostname, details }) => `~ ${hostname} ${details.join(', ')}`),
    ...removed.map(({ hostname, capacity }) => `- ${hostname} ${shownCapacity(capacity)}`),
  ];
}
