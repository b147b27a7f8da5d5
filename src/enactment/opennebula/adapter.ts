/** Drives the hosts of an OpenNebula installation through its XML-RPC interface (docs/adapters.md). */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ActionTarget, Millis } from '../../core/index.ts';
import type {
  ActionCall,
  ActionResult,
  Adapter,
  HostedMachine,
  HostSite,
  MachinePlace,
  MachineStatus,
} from '../../engine/ports.ts';
import { Jobs } from '../jobs.ts';
import { type ClientOptions, type OneVm, OpenNebulaClient, OpenNebulaError } from './client.ts';
import { HostPool } from './hosts.ts';
import { hasFailed, hostCondition, hostStateName, isPassing, lcmStates, statusOf, vmStates } from './states.ts';
import { templateOf } from './template.ts';

export interface OpenNebulaOptions extends ClientOptions {
  readonly namePrefix: string;
  /** Text in OpenNebula's syntax that is added to each VM template: networks, graphics, context. */
  readonly template: string;
  /** Grace period for a guest to power off before it is terminated. */
  readonly shutdownGrace: Millis;
  /** Polling interval for the state of a changing VM. */
  readonly pollInterval: Millis;
  /** Time for which the numbers of discovered hosts are cached. */
  readonly hostRefresh: Millis;
}

const done: ActionResult = { status: 'done' };
const nodeAttribute = 'LEASEGRAPH_NODE';

export class OpenNebulaAdapter implements Adapter {
  readonly name = 'opennebula';
  readonly remembers = true;
  private readonly client: OpenNebulaClient;
  private readonly jobs = new Jobs();
  private readonly hosts: HostPool;

  constructor(
    private readonly options: OpenNebulaOptions,
    site: HostSite,
    log: Logger,
  ) {
    this.client = new OpenNebulaClient(options);
    this.hosts = new HostPool(options, this.client, site, log);
  }

  prepare(call: ActionCall): Promise<ActionResult> {
    return this.act('prepare', call, async (target, vm, signal) => {
      if (!vm) await this.allocate(target, signal);
      else if (statusOf(vm) !== 'prepared') return this.refused(vm, 'prepared');
      return done;
    });
  }

  start(call: ActionCall): Promise<ActionResult> {
    return this.act('start', call, async (target, vm, signal) => {
      if (vm && statusOf(vm) === 'running') return done;
      if (vm && statusOf(vm) === 'suspended') return this.refused(vm, 'started');
      const { id: host } = await this.hosts.reach(target.node, signal);
      const id = vm?.id ?? (await this.allocate(target, signal));
      if (vm && vm.state === vmStates.POWEROFF) await this.client.action('resume', id, signal);
      else await this.client.deploy(id, host, signal);
      return this.until(id, 'running', signal);
    });
  }

  suspend(call: ActionCall): Promise<ActionResult> {
    return this.act('suspend', call, async (_, vm, signal) => {
      if (vm && statusOf(vm) === 'suspended') return done;
      if (!vm || statusOf(vm) !== 'running') return this.refused(vm, 'suspended');
      await this.client.action('suspend', vm.id, signal);
      return this.until(vm.id, 'suspended', signal);
    });
  }

  resume(call: ActionCall): Promise<ActionResult> {
    return this.act('resume', call, async (_, vm, signal) => {
      if (vm && statusOf(vm) === 'running') return done;
      if (!vm || statusOf(vm) !== 'suspended') return this.refused(vm, 'resumed');
      await this.client.action('resume', vm.id, signal);
      return this.until(vm.id, 'running', signal);
    });
  }

  migrate(call: ActionCall): Promise<ActionResult> {
    return this.act('migrate', call, async (target, vm, signal) => {
      const { toNode } = target;
      if (toNode === null) throw new Error('a migration needs a node to go to');
      if (!vm) return (await this.find({ ...target, node: toNode }, signal)) ? done : this.refused(vm, 'moved');
      const status = statusOf(vm);
      if (status !== 'prepared' && status !== 'suspended') return this.refused(vm, 'moved');
      if (status === 'suspended') {
        const { id: host } = await this.hosts.reach(toNode, signal);
        await this.client.migrate(vm.id, host, false, signal);
        const result = await this.until(vm.id, 'suspended', signal);
        if (result.status !== 'done') return result;
      }
      await this.client.update(vm.id, `${nodeAttribute}="${toNode}"`, signal);
      return done;
    });
  }

  shutdown(call: ActionCall): Promise<ActionResult> {
    return this.act('shutdown', call, async (_, vm, signal) => {
      if (!vm) return done;
      const status = statusOf(vm);
      if (status === 'suspended') return this.refused(vm, 'shut down');
      if (status === 'running') {
        await this.client.action('terminate', vm.id, signal);
        const graceful = AbortSignal.any([signal, AbortSignal.timeout(this.options.shutdownGrace)]);
        const result = await this.until(vm.id, 'absent', graceful).catch((error: unknown) => {
          signal.throwIfAborted();
          if (!graceful.aborted) throw error;
          return null;
        });
        if (result?.status === 'done') return done;
      }
      return this.terminate(vm.id, signal);
    });
  }

  destroy(call: ActionCall): Promise<ActionResult> {
    return this.jobs.run('destroy', call, async (signal) => {
      const vm = await this.find(call.target, signal);
      if (!vm) return done;
      // On an unreachable host it may still run, whatever OpenNebula reports.
      if (vm.hostId !== null && (await this.hosts.find(call.target.node, signal)))
        await this.hosts.reach(call.target.node, signal);
      return this.terminate(vm.id, signal);
    });
  }

  async inspect(place: MachinePlace, signal: AbortSignal): Promise<MachineStatus> {
    signal.throwIfAborted();
    await this.hosts.reach(place.node, signal);
    const vm = await this.find(place, signal);
    return vm ? statusOf(vm) : 'absent';
  }

  readonly list = async (node: number, signal: AbortSignal): Promise<readonly HostedMachine[]> => {
    await this.hosts.reach(node, signal);
    const found = (await this.client.vms(signal)).filter((vm) => nodeOf(vm) === node);
    return found.flatMap((vm): HostedMachine[] => {
      const [, leaseId, machine] = this.pattern.exec(vm.name) ?? [];
      return leaseId === undefined
        ? []
        : [{ leaseId: Number(leaseId), machine: Number(machine), node, status: statusOf(vm) }];
    });
  };

  readonly admits = async (node: number, signal: AbortSignal): Promise<string | null> => {
    const { name, state } = await this.hosts.reach(node, signal);
    return hostCondition(state) === 'CLOSED' ? `OpenNebula's host ${name} is ${hostStateName(state)}` : null;
  };

  forget(): void {
    this.jobs.forget();
    this.hosts.forget();
  }

  close(): Promise<void> {
    return this.jobs.close();
  }

  /** Waits for the current operation of the machine, then executes the new one. */
  private act(
    operation: string,
    call: ActionCall,
    work: (target: ActionTarget, vm: OneVm | null, signal: AbortSignal) => Promise<ActionResult>,
  ): Promise<ActionResult> {
    return this.jobs.run(operation, call, async (signal) => {
      try {
        await this.hosts.reach(call.target.node, signal);
        const vm = await this.find(call.target, signal);
        return await work(call.target, vm && (await this.settled(vm, signal)), signal);
      } catch (error) {
        if (error instanceof OpenNebulaError) return { status: 'failed', reason: error.message };
        throw error;
      }
    });
  }

  private get pattern(): RegExp {
    return new RegExp(`^${this.options.namePrefix.replaceAll('.', '\\.')}-([1-9]\\d*)-([1-9]\\d*)$`);
  }

  private async find({ leaseId, machine, node }: MachinePlace, signal: AbortSignal): Promise<OneVm | null> {
    signal.throwIfAborted();
    const name = `${this.options.namePrefix}-${leaseId}-${machine}`;
    return (await this.client.vms(signal)).find((vm) => vm.name === name && nodeOf(vm) === node) ?? null;
  }

  private allocate(target: ActionTarget, signal: AbortSignal): Promise<number> {
    const attributes = {
      NAME: `${this.options.namePrefix}-${target.leaseId}-${target.machine}`,
      [nodeAttribute]: String(target.node),
    };
    return this.client.allocate(templateOf(target, attributes, this.options.template), signal);
  }

  private async settled(vm: OneVm, signal: AbortSignal): Promise<OneVm | null> {
    let now = vm;
    while (isPassing(now)) {
      await sleep(this.options.pollInterval, undefined, { signal });
      now = await this.client.vm(vm.id, signal);
    }
    return now.state === vmStates.DONE ? null : now;
  }

  private async until(id: number, wanted: MachineStatus, signal: AbortSignal): Promise<ActionResult> {
    for (;;) {
      const vm = await this.client.vm(id, signal);
      if (statusOf(vm) === wanted && !isPassing(vm)) return done;
      if (hasFailed(vm)) return { status: 'failed', reason: `VM ${id} (${vm.name}) has failed: ${stateName(vm)}` };
      await sleep(this.options.pollInterval, undefined, { signal });
    }
  }

  private async terminate(id: number, signal: AbortSignal): Promise<ActionResult> {
    while ((await this.client.vm(id, signal)).state !== vmStates.DONE) {
      await this.client.action('terminate-hard', id, signal).catch((error: unknown) => {
        // It is in a transient state: wait for its end.
        if (!(error instanceof OpenNebulaError)) throw error;
      });
      await sleep(this.options.pollInterval, undefined, { signal });
    }
    return done;
  }

  private refused(vm: OneVm | null, what: string): ActionResult {
    const state = vm ? `VM ${vm.id} (${vm.name}) is ${stateName(vm)}` : 'there is no such VM';
    return { status: 'failed', reason: `${state}: it cannot be ${what}` };
  }
}

const nodeOf = ({ attributes }: OneVm): number => Number(attributes[nodeAttribute]);

function stateName({ state, lcmState }: OneVm): string {
  const nameIn = (states: Readonly<Record<string, number>>, value: number): string =>
    Object.entries(states).find(([, each]) => each === value)?.[0] ?? String(value);
  return state === vmStates.ACTIVE ? nameIn(lcmStates, lcmState) : nameIn(vmStates, state);
}
