import type { ActionRecord, ActionTarget } from '../../src/core/index.ts';

/**
 * What the hosts hold once they have carried out what they were told, in its order. Refuses what could not be carried
 * out.
 */
export class Hosts {
  /** By lease and machine: the nodes that hold something of it. */
  private readonly places = new Map<string, Set<number>>();

  apply(actions: readonly ActionRecord[]): void {
    for (const action of actions) for (const target of action.targets) this.carryOut(action, target);
  }

  /** The node has failed: what it held is lost. */
  lose(node: number): void {
    for (const nodes of this.places.values()) nodes.delete(node);
  }

  /** Throws when something is left of a lease. */
  expectNothingOf(leaseId: number): void {
    for (const [machine, nodes] of this.places)
      if (machine.startsWith(`${leaseId}/`) && nodes.size > 0)
        throw new Error(`lease ${leaseId} is over, and nodes ${[...nodes]} hold machine ${machine}`);
  }

  private carryOut({ id, kind }: ActionRecord, { leaseId, machine, node, toNode }: ActionTarget): void {
    const name = `${leaseId}/${machine}`;
    const nodes = this.places.get(name) ?? new Set();
    this.places.set(name, nodes);
    const refuse = (why: string): never => {
      throw new Error(`action ${id}: ${kind} of machine ${name} on node ${node}, and ${why}`);
    };
    const elsewhere = [...nodes].filter((each) => each !== node);
    switch (kind) {
      case 'PREPARE':
        nodes.add(node);
        break;
      case 'START':
        if (elsewhere.length > 0) refuse(`nodes ${elsewhere} hold something of it`);
        nodes.add(node);
        break;
      case 'SUSPEND':
      case 'RESUME':
        if (!nodes.has(node) || elsewhere.length > 0) refuse(`it is on nodes ${[...nodes]}`);
        break;
      case 'MIGRATE':
        // Disk and memory go one after the other, and what is on its way may be sent back.
        if (nodes.size === 0) refuse('it is nowhere');
        nodes.delete(node);
        nodes.add(toNode ?? 0);
        break;
      case 'SHUTDOWN':
      case 'DESTROY':
        nodes.delete(node);
    }
  }
}
