import type { ActionRecord, ActionTarget } from '../../src/core/index.ts';

/** What the hosts hold after carrying out their actions in order. Refuses actions that could not be carried out. */
export class Hosts {
  /** The nodes that hold a part of a machine, by lease and machine. */
  private readonly places = new Map<string, Set<number>>();

  apply(actions: readonly ActionRecord[]): void {
    for (const action of actions) for (const target of action.targets) this.carryOut(action, target);
  }

  /** The node has failed and lost what it held. */
  lose(node: number): void {
    for (const nodes of this.places.values()) nodes.delete(node);
  }

  /** Throws if any part of a lease is left. */
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
        // Disk and memory move one after the other, and may be sent back on the way.
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
