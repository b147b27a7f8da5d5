import { type Command, InvalidArgumentError } from 'commander';
import type { WorkloadFiles } from '../simulation/load.ts';

/** What {@link addTraceOptions} parses. */
export interface TraceOptions {
  readonly inject?: string;
  readonly images?: string;
  readonly site?: string;
  readonly swfScale: number;
  readonly swfMemory: number;
}

/** The options that say how a trace is read. */
export function addTraceOptions(command: Command): Command {
  return command
    .option('--inject <file>', 'leases to inject into the trace, in any of its formats')
    .option('--images <file>', 'image list: gives each lease of the trace a disk image')
    .option('--site <site>', 'nodes and what each has, such as "144 CPU:100 Memory:1024"')
    .option('--swf-scale <n>', 'SWF: processors that one machine stands for', positiveNumber, 1)
    .option('--swf-memory <mb>', 'SWF: memory of each machine in MB', wholeNumber, 1024);
}

export function workloadFiles(trace: string, options: TraceOptions): WorkloadFiles {
  const { inject, images, swfScale, swfMemory } = options;
  return {
    trace,
    inject: inject ?? null,
    images: images ?? null,
    swf: { scale: swfScale, memory: swfMemory },
  };
}

export function positiveNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value <= 0) {
    throw new InvalidArgumentError('Expected a number greater than 0.');
  }
  return value;
}

export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Expected a whole number greater than 0.');
  return Number(text);
}
