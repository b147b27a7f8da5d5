/** How the options of the scheduler in a configuration differ from those that a running server uses. */
import { formatDuration } from '../core/index.ts';
import type { Configuration } from './file.ts';
import { serverScheduler } from './load.ts';

export interface SchedulerDifference {
  /** Such as `suspension` or `imageTransfer.bandwidth`. */
  readonly key: string;
  /** Of the server; durations in milliseconds. */
  readonly from: unknown;
  /** Of the configuration. */
  readonly to: unknown;
}

const durations: ReadonlySet<string> = new Set([
  'overrideSuspendTime',
  'overrideResumeTime',
  'forceSchedulingThreshold',
  'shutdownTime',
  'enactmentOverhead',
  'preemptionExemptTime',
  'preemptionPeace',
  'imageTransfer.forceTransferTime',
]);

export function schedulerDifferences(
  used: Readonly<Record<string, unknown>>,
  configuration: Configuration,
): SchedulerDifference[] {
  const before = flat(used);
  // Where hosts take time, a server plans at least a second for what the configuration gives none.
  const planned = flat({ ...serverScheduler(configuration) });
  return Object.entries(flat({ ...configuration.scheduler })).flatMap(([key, to]) => {
    const from = before[key] ?? null;
    return from === to || from === planned[key] ? [] : [{ key, from, to }];
  });
}

/** With the options of a section as `section.option`. */
function flat(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(options).flatMap(([key, value]) =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).map(([inner, each]) => [`${key}.${inner}`, each ?? null])
        : [[key, value ?? null]],
    ),
  );
}

/** In the form of a configuration file: durations such as `1h30m`. */
export function schedulerDifferenceLine({ from, key, to }: SchedulerDifference): string {
  const [before, after] = [from, to].map((value) =>
    durations.has(key) && typeof value === 'number' ? formatDuration(value) : JSON.stringify(value),
  );
  return `~ scheduler.${key} ${before} -> ${after} (when the server starts with the file)`;
}
