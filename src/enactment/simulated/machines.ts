import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ActionTarget } from '../../core/index.ts';
import type { HostedMachine, MachinePlace, MachineStatus } from '../../engine/ports.ts';

export interface SimulatedMachine extends HostedMachine {
  readonly capacity: ActionTarget['capacity'];
}

/** The machines of simulated hosts: in memory, or in a file as well, so that they outlive the process. */
export class SimulatedMachines {
  private readonly machines = new Map<string, SimulatedMachine>();

  constructor(private readonly file: string | null) {
    if (file === null || !existsSync(file)) return;
    for (const machine of JSON.parse(readFileSync(file, 'utf8')) as SimulatedMachine[]) {
      this.machines.set(keyOf(machine), machine);
    }
  }

  get(place: MachinePlace): SimulatedMachine | undefined {
    return this.machines.get(keyOf(place));
  }

  status(place: MachinePlace): MachineStatus {
    return this.get(place)?.status ?? 'absent';
  }

  on(node: number): readonly SimulatedMachine[] {
    return [...this.machines.values()].filter((machine) => machine.node === node);
  }

  set(machine: SimulatedMachine): void {
    if (machine.status === 'absent') this.machines.delete(keyOf(machine));
    else this.machines.set(keyOf(machine), machine);
    this.save();
  }

  delete(place: MachinePlace): void {
    if (this.machines.delete(keyOf(place))) this.save();
  }

  /** Drops machines that are kept in memory only. */
  clear(): void {
    if (this.file === null) this.machines.clear();
  }

  private save(): void {
    if (this.file === null) return;
    mkdirSync(dirname(this.file), { recursive: true });
    // Atomically: the whole file is replaced or stays as it is.
    const next = `${this.file}.new`;
    writeFileSync(next, `${JSON.stringify([...this.machines.values()])}\n`);
    renameSync(next, this.file);
  }
}

const keyOf = ({ leaseId, machine, node }: MachinePlace): string => `${leaseId}/${machine}@${node}`;
