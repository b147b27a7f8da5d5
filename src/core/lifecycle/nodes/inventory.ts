import { SchedulerError } from '../../errors.ts';
import type { Amounts, NodeSpec, SiteSpec } from '../../model/records.ts';
import type { SchedulerState } from '../../state.ts';
import { validateSite } from '../../validation.ts';
import { checkNode } from './node-state.ts';

/** New nodes, with the next numbers. Throws INVALID_SITE, and then nothing has changed. */
export function addNodes(state: SchedulerState, nodes: readonly NodeSpec[]): void {
  change(state, { ...state.site, nodes: [...state.site.nodes, ...nodes] }, () => {
    for (const { capacity } of nodes) state.table.addNode(capacity);
  });
}

/**
 * Another capacity for a node. What runs or is planned there would have to be looked at again, so nothing may be there. Throws INVALID_SITE or
 * INVALID_REQUEST, and then nothing has changed.
 */
export function updateNode(state: SchedulerState, number: number, capacity: Amounts): void {
  checkNode(state, number);
  const isHeld = (state.table.nodes[number]?.holds().size ?? 0) > 0;
  const isSavedThere = [...state.leases.values()].some(({ memoryAt, diskAt }) =>
    [...memoryAt.values(), ...diskAt.values()].includes(number),
  );
  if (isHeld || isSavedThere) {
    throw new SchedulerError(
      'INVALID_REQUEST',
      `leases hold something on node ${number}: drain it and wait until they have ended`,
      ['node'],
    );
  }
  const nodes = state.site.nodes.map((node) => (node.number === number ? { ...node, capacity } : node));
  change(state, { ...state.site, nodes }, () => state.table.replaceNode(number, capacity));
}

/** The node is no longer there. Its number is not used again: it stays as a node without capacity. */
export function removeNode(state: SchedulerState, number: number): void {
  updateNode(state, number, {});
  state.transfers.lose(number);
}

function change(state: SchedulerState, site: SiteSpec, apply: () => void): void {
  validateSite(site);
  for (const { hostname, capacity } of site.nodes) checkInstances(state, hostname, capacity);
  apply();
  state.setSite(site);
  state.askForReevaluation();
  state.askForPass();
}

/** How many instances a type has is fixed with the first nodes of a site. */
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
