/** The operations on a domain. Each may find that it was begun or completed before. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ActionResult } from '../../engine/ports.ts';
import { domainXml, type MachineTarget, nameOf, type Phase, relocated } from './domain.ts';
import type { Host } from './host.ts';
import { ImageError } from './images.ts';
import type { FileKeeper } from './machine-files.ts';
import type { DomainState, Machines } from './machines.ts';
import type { LibvirtOptions } from './options.ts';
import { LibvirtError } from './virsh.ts';

const done: ActionResult = { status: 'done' };

export class Operations {
  constructor(
    private readonly options: LibvirtOptions,
    private readonly template: string,
    private readonly machines: Machines,
    private readonly files: FileKeeper,
  ) {}

  async prepare(host: Host, target: MachineTarget, signal: AbortSignal): Promise<ActionResult> {
    const { name, state } = await this.find(host, target, signal);
    if (state && (state.isActive || state.phase !== 'prepared'))
      return this.refused(host, name, state, 'prepared', signal);
    return this.defined(host, target, 'prepared', signal);
  }

  async start(host: Host, target: MachineTarget, signal: AbortSignal): Promise<ActionResult> {
    const { name, state } = await this.find(host, target, signal);
    if (state?.isActive) return done;
    if (state && (await this.machines.statusOf(host, name, state, signal)) === 'suspended')
      return this.refused(host, name, state, 'started', signal);
    const result = await this.defined(host, target, 'started', signal);
    if (result.status !== 'done') return result;
    await this.changes(host, ['start', '--domain', name], /already active/, signal);
    return done;
  }

  async suspend(host: Host, target: MachineTarget, signal: AbortSignal): Promise<ActionResult> {
    const { name, state } = await this.find(host, target, signal);
    const status = state ? await this.machines.statusOf(host, name, state, signal) : 'absent';
    if (status !== 'running' && status !== 'suspended') return this.refused(host, name, state, 'suspended', signal);
    if (status === 'running') {
      await host.run('mkdir', ['-p', '--', this.files.folder(host, target)], {
        timeLimit: this.options.timeLimit,
        signal,
      });
      await this.machines.note(host, name, 'suspending', signal);
      await this.save(host, name, signal);
    }
    await this.machines.note(host, name, 'suspended', signal);
    return done;
  }

  async resume(host: Host, target: MachineTarget, signal: AbortSignal): Promise<ActionResult> {
    const { name, state } = await this.find(host, target, signal);
    const status = state ? await this.machines.statusOf(host, name, state, signal) : 'absent';
    if (status !== 'running' && status !== 'suspended') return this.refused(host, name, state, 'resumed', signal);
    const memory = this.machines.savedMemory(host, name);
    if (status === 'suspended') {
      await this.machines.note(host, name, 'resuming', signal);
      await this.restore(host, name, memory, signal);
    }
    // A guest that was paused when it was saved, as by a save that was interrupted, is paused when it is restored.
    const restored = status === 'suspended' ? await this.machines.state(host, name, signal) : state;
    if (restored?.isPaused) await this.changes(host, ['resume', '--domain', name], /already running/, signal);
    await this.machines.note(host, name, 'started', signal);
    await host.run('rm', ['-f', '--', memory], { timeLimit: this.options.timeLimit, signal });
    return done;
  }

  /** `hurry` ends the grace period of the guest. */
  async shutdown(host: Host, target: MachineTarget, signal: AbortSignal, hurry: AbortSignal): Promise<ActionResult> {
    const { name, state } = await this.find(host, target, signal);
    if (state && (await this.machines.statusOf(host, name, state, signal)) === 'suspended')
      return this.refused(host, name, state, 'shut down', signal);
    if (state?.isActive) {
      await this.changes(host, ['shutdown', '--domain', name], /not running|unsupported/, signal);
      const until = Date.now() + this.options.shutdownGrace;
      while ((await this.machines.state(host, name, signal))?.isActive && Date.now() < until && !hurry.aborted)
        await sleep(250, undefined, { signal });
    }
    return this.destroy(host, target, signal);
  }

  /** Does not wait for other operations of the machine. */
  async destroy(host: Host, target: MachineTarget, signal: AbortSignal): Promise<ActionResult> {
    const name = nameOf(this.options.namePrefix, target);
    const state = await this.machines.state(host, name, signal);
    if (state?.isActive) await this.changes(host, ['destroy', '--domain', name], /not running/, signal);
    if (state) await this.machines.undefine(host, name, signal);
    await this.files.remove(host, target, signal);
    return done;
  }

  /** Defines the domain as it was on the other host. */
  async define(host: Host, target: MachineTarget, phase: Phase, signal: AbortSignal): Promise<void> {
    const facts = { target, phase, hostname: host.node.hostname, ...this.files.files(host, target) };
    await this.machines.define(host, domainXml(this.template, this.options, facts), signal);
  }

  private async find(
    host: Host,
    target: MachineTarget,
    signal: AbortSignal,
  ): Promise<{ name: string; state: DomainState | null }> {
    const name = nameOf(this.options.namePrefix, target);
    return { name, state: await this.machines.settled(host, name, this.options.timeLimit, signal) };
  }

  private async defined(host: Host, target: MachineTarget, phase: Phase, signal: AbortSignal): Promise<ActionResult> {
    try {
      await this.files.prepare(host, target, signal);
    } catch (error) {
      if (!(error instanceof ImageError)) throw error;
      await this.files.remove(host, target, signal);
      return { status: 'failed', reason: error.message };
    }
    await this.define(host, target, phase, signal);
    return done;
  }

  /** virsh may wait for a save that has already ended, so the state reported by libvirt counts. */
  private async save(host: Host, name: string, signal: AbortSignal): Promise<void> {
    const call = new AbortController();
    const either = AbortSignal.any([signal, call.signal]);
    const args = ['save', '--domain', name, '--file', this.machines.savedMemory(host, name)];
    const saving = this.changes(host, args, null, either).then(() => true);
    const isSaved = async (): Promise<boolean> => {
      const state = await this.machines.state(host, name, signal);
      return state?.isActive === false && (await this.machines.isSaved(host, name, signal));
    };
    while (!(await Promise.race([saving, sleep(2_000, false, { signal })]))) {
      if (!(await isSaved())) continue;
      call.abort();
      await saving.catch(() => {});
      return;
    }
  }

  /** The saved state contains paths of the host where it was saved. */
  private async restore(host: Host, name: string, memory: string, signal: AbortSignal): Promise<void> {
    const saved = await this.machines.virsh(host, ['save-image-dumpxml', '--file', memory], signal);
    const moved = relocated(saved, host.path('machines', name));
    const restore = ['restore', '--file', memory];
    if (moved === saved) return this.changes(host, restore, /already active|already running/, signal);
    await this.machines.withFile(moved, (file) =>
      this.changes(host, [...restore, '--xml', file], /already active/, signal),
    );
  }

  /** A long call. If it fails although its work `wasDone`, it counts as successful. */
  private async changes(
    host: Host,
    args: readonly string[],
    wasDone: RegExp | null,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      await this.machines.virsh(host, args, signal, this.options.timeLimit);
    } catch (error) {
      if (!(error instanceof LibvirtError && wasDone?.test(error.message))) throw error;
    }
  }

  private async refused(
    host: Host,
    name: string,
    state: DomainState | null,
    what: string,
    signal: AbortSignal,
  ): Promise<ActionResult> {
    const status = state ? await this.machines.statusOf(host, name, state, signal) : 'absent';
    return {
      status: 'failed',
      reason: `${name} on ${host.node.hostname} is ${status}: it cannot be ${what}`,
    };
  }
}
