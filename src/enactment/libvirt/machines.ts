/** Machines as libvirt reports them, with the metadata that the adapter stores. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Millis } from '../../core/index.ts';
import type { HostedMachine, MachineStatus } from '../../engine/ports.ts';
import { machineOf, metadataKey, metadataUri, type Phase } from './domain.ts';
import type { Host } from './host.ts';
import { LibvirtError } from './virsh.ts';

/** Time limit for queries and small changes. */
const shortCall: Millis = 30_000;
/** Polling interval for transient states. */
const pollInterval: Millis = 100;

/** A domain: whether it uses memory of the host, whether its guest is paused, and its stage. */
export interface DomainState {
  readonly isActive: boolean;
  /** By a user, or while it is started, saved, restored or moved. */
  readonly isPaused: boolean;
  /** Its process ended although the guest did not power off. */
  readonly hasCrashed: boolean;
  readonly phase: Phase;
}

export class Machines {
  private readonly folder = mkdtempSync(join(tmpdir(), 'leasegraph-libvirt-'));
  private definitions = 0;

  constructor(private readonly prefix: string) {}

  /** Null if there is no such domain. */
  async state(host: Host, name: string, signal: AbortSignal): Promise<DomainState | null> {
    try {
      const printed = await this.virsh(host, ['domstate', '--domain', name, '--reason'], signal);
      const [, state = '', reason = ''] = /^(.*?)(?: \((.*)\))?$/.exec(printed.trim()) ?? [];
      if (state === '') throw new Error(`virsh tells no state of ${name}`);
      return {
        isActive: isActiveState(state),
        isPaused: state === 'paused',
        hasCrashed: ['crashed', 'failed'].includes(reason),
        phase: await this.phase(host, name, signal),
      };
    } catch (error) {
      if (error instanceof LibvirtError && error.isUnknownDomain) return null;
      throw error;
    }
  }

  /** The state after the current operation has ended, or after a long wait. */
  async settled(host: Host, name: string, limit: Millis, signal: AbortSignal): Promise<DomainState | null> {
    const until = Date.now() + limit;
    for (;;) {
      const state = await this.state(host, name, signal);
      if (!state?.isPaused || Date.now() >= until) return state;
      await sleep(pollInterval, undefined, { signal });
    }
  }

  async status(host: Host, name: string, signal: AbortSignal): Promise<MachineStatus> {
    const state = await this.state(host, name, signal);
    return state === null ? 'absent' : this.statusOf(host, name, state, signal);
  }

  async statusOf(host: Host, name: string, state: DomainState, signal: AbortSignal): Promise<MachineStatus> {
    if (state.isActive) return 'running';
    switch (state.phase) {
      case 'prepared':
        return 'prepared';
      case 'started':
        // A lost machine cannot continue.
        return state.hasCrashed ? 'absent' : 'stopped';
      case 'suspended':
        return 'suspended';
      default:
        // It was being saved or restored: it is suspended if its saved memory is complete.
        return (await this.isSaved(host, name, signal)) ? 'suspended' : 'stopped';
    }
  }

  /** All machines of this site on the host. */
  async list(host: Host, signal: AbortSignal): Promise<readonly HostedMachine[]> {
    const lines = (await this.virsh(host, ['list', '--all'], signal)).split('\n');
    const found: HostedMachine[] = [];
    for (const line of lines) {
      const [, name = '', state = ''] = /^\s*\S+\s+(\S+)\s+(.*?)\s*$/.exec(line) ?? [];
      const machine = machineOf(this.prefix, name);
      if (!machine) continue;
      // It may be gone meanwhile.
      const status = isActiveState(state) ? 'running' : await this.status(host, name, signal);
      if (status !== 'absent') found.push({ ...machine, node: host.node.number, status });
    }
    return found;
  }

  async note(host: Host, name: string, phase: Phase, signal: AbortSignal): Promise<void> {
    const set = ['--key', metadataKey, '--set', `<machine phase='${phase}'/>`, '--config'];
    await this.virsh(host, ['metadata', '--domain', name, '--uri', metadataUri, ...set], signal);
  }

  /** Defines or redefines a domain. */
  async define(host: Host, xml: string, signal: AbortSignal): Promise<void> {
    await this.withFile(xml, (file) => this.virsh(host, ['define', '--file', file], signal));
  }

  /** Passes text to virsh in a local file. */
  async withFile<T>(text: string, use: (file: string) => Promise<T>): Promise<T> {
    this.definitions += 1;
    const file = join(this.folder, `${this.definitions}.xml`);
    writeFileSync(file, text);
    try {
      return await use(file);
    } finally {
      rmSync(file, { force: true });
    }
  }

  async undefine(host: Host, name: string, signal: AbortSignal): Promise<void> {
    try {
      // Not all drivers and domains have these.
      await this.virsh(host, ['undefine', '--domain', name, '--nvram', '--managed-save'], signal);
    } catch (error) {
      if (!(error instanceof LibvirtError)) throw error;
      if (!error.isUnknownDomain) await this.virsh(host, ['undefine', '--domain', name], signal);
    }
  }

  savedMemory(host: Host, name: string): string {
    return host.path('machines', name, 'memory');
  }

  /** Whether the saved memory is complete. (libvirt marks files that it is still writing.) */
  async isSaved(host: Host, name: string, signal: AbortSignal): Promise<boolean> {
    try {
      await this.virsh(host, ['save-image-dumpxml', '--file', this.savedMemory(host, name)], signal);
      return true;
    } catch (error) {
      if (error instanceof LibvirtError) return false;
      throw error;
    }
  }

  async virsh(host: Host, args: readonly string[], signal: AbortSignal, limit = shortCall): Promise<string> {
    return host.virsh.run(args, limit, signal);
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async phase(host: Host, name: string, signal: AbortSignal): Promise<Phase> {
    try {
      const noted = await this.virsh(host, ['metadata', '--domain', name, '--uri', metadataUri, '--config'], signal);
      // A suspended machine must never be mistaken for one in another state.
      if (noted.trim() === '') throw new Error(`virsh tells no metadata of ${name}`);
      const [, phase] = /phase=["'](\w+)["']/.exec(noted) ?? [];
      return (phase as Phase | undefined) ?? 'started';
    } catch (error) {
      // The domain was redefined by somebody else, without the metadata.
      if (error instanceof LibvirtError && error.isUnknownMetadata) return 'started';
      throw error;
    }
  }
}

const isActiveState = (state: string): boolean => !['shut off', 'crashed', ''].includes(state);
