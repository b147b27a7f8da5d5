import { SchedulerError } from '../../errors.ts';
import type { Amounts, NodeSpec, NodeUpdate, SiteSpec } from '../../model/records.ts';
import type { SchedulerState } from '../../state.ts';
import { validateSite } from '../../validation.ts';
import { checkNode } from './node-state.ts';

/** Adds nodes with the next numbers. Throws INVALID_SITE; nothing has changed then. */
export function addNodes(state: SchedulerState, nodes: readonly NodeSpec[]): void {
  change(state, { ...state.site, nodes: [...state.site.nodes, ...nodes] }, () => {
    for (const { capacity } of nodes) state.table.addNode(capacity);
    for (const { number } of nodes) state.changedNodes.add(number);
  });
}

/**
 * Changes a node. The capacity can change only if nothing runs or is planned there. Throws INVALID_SITE,
 * INVALID_REQUEST or NODE_IN_USE; nothing has changed then.
 */
export function updateNode(state: SchedulerState, number: number, update: NodeUpdate): void {
  checkNode(state, number);
  const { address, capacity, labels } = update;
  replace(state, number, (node) => ({
    ...node,
    ...(capacity !== undefined && { capacity }),
    ...(address !== undefined && { address: address ?? undefined }),
    ...(labels !== undefined && { labels }),
  }));
}

/**
 * Removes a node. Its number is not reused: it stays as a node without capacity under another name, so that its host
 * can be added again as a new node. Throws INVALID_REQUEST or NODE_IN_USE; nothing has changed then.
 */
export function removeNode(state: SchedulerState, number: number): void {
  checkNode(state, number);
  replace(state, number, (node) => ({
    ...node,
    capacity: {},
    hostname: `${node.hostname} (removed ${number})`,
  }));
  if (!state.journal.isOpen) state.transfers.lose(number);
}

function replace(state: SchedulerState, number: number, changed: (node: NodeSpec) => NodeSpec): void {
  const before = state.site.nodes[number - 1] as NodeSpec;
  const after = changed(before);
  const hasOtherCapacity = after.capacity !== before.capacity;
  if (hasOtherCapacity) checkUnused(state, number);
  const nodes = state.site.nodes.map((node) => (node.number === number ? after : node));
  change(state, { ...state.site, nodes }, () => {
    if (hasOtherCapacity) state.table.replaceNode(number, after.capacity);
    state.changedNodes.add(number);
  });
}

function checkUnused(state: SchedulerState, number: number): void {
  const isHeld = (state.table.nodes[number]?.holds().size ?? 0) > 0;
  const isSavedThere = [...state.leases.values()].some(({ memoryAt, diskAt }) =>
    [...memoryAt.values(), ...diskAt.values()].includes(number),
  );
  if (isHeld || isSavedThere || state.availability.remaining.isOn(number)) {
    throw new SchedulerError(
      'NODE_IN_USE',
      `Leases hold something on node ${number}. Drain it, and wait until they have ended.`,
    );
  }
}

function change(state: SchedulerState, wanted: SiteSpec, apply: () => void): void {
  const site = keepInstances(state, wanted);
  validateSite(site);
  for (const { hostname, capacity } of site.nodes) checkInstances(state, hostname, capacity);
  // The slot table cannot take the change back: a rehearsal only checks it.
  if (state.journal.isOpen) return;
  apply();
  for (const [index, node] of site.nodes.entries())
    if (node !== wanted.nodes[index]) state.changedNodes.add(node.number);
  state.setSite(site);
  state.askForReevaluation();
  state.askForPass();
}

/**
 * The number of instances of a type is fixed by the first nodes of a site, and told from its nodes at the next start.
 * When none is left that has as many, the first node declares the others as empty, which changes nothing of what it
 * has.
 */
function keepInstances({ space }: SchedulerState, site: SiteSpec): SiteSpec {
  let { nodes } = site;
  for (const { name, instances } of space.types) {
    if (nodes.some(({ capacity }) => [capacity[name] ?? 0].flat().length >= instances)) continue;
    const first = nodes.find(({ capacity }) => Object.keys(capacity).length > 0);
    if (!first)
      throw new SchedulerError(
        'INVALID_REQUEST',
        `The site counts ${instances} instances of ${name} on its nodes, and would forget that without any node. Add another one first.`,
        ['node'],
      );
    const has = [first.capacity[name] ?? 0].flat();
    const all = Array.from({ length: instances }, (_, instance) => has[instance] ?? 0);
    nodes = nodes.map((node) => (node === first ? { ...node, capacity: { ...node.capacity, [name]: all } } : node));
  }
  return nodes === site.nodes ? site : { ...site, nodes };
}

/** The number of instances of a type is fixed by the first nodes of a site. */
function checkInstances({ space }: SchedulerState, hostname: string, capacity: Amounts): void {
  for (const [name, amount] of Object.entries(capacity)) {
    const has = typeof amount === 'number' ? 1 : amount.length;
    const counted = space.type(name)?.instances ?? 1;
    if (has <= counted) continue;
    throw new SchedulerError(
      'INVALID_SITE',
      `node ${hostname} has ${has} instances of ${name}: the site counts ${counted} at most`,
    );
  }
}
