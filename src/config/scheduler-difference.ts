/** How the options of the scheduler in a configuration differ from those that a running server uses. */
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
    durations.has(key) && typeof value === 'number' ? shortDuration(value) : JSON.stringify(value),
  );
  return `~ scheduler.${key} ${before} -> ${after} (when the server starts with the file)`;
}

function shortDuration(millis: number): string {
  const parts = [
    [Math.floor(millis / 86_400_000), 'd'],
    [Math.floor(millis / 3_600_000) % 24, 'h'],
    [Math.floor(millis / 60_000) % 60, 'm'],
    [(millis % 60_000) / 1_000, 's'],
  ] as const;
  const shown = parts.flatMap(([count, unit]) => (count === 0 ? [] : [`${count}${unit}`]));
  return shown.length === 0 ? '0s' : shown.join('');
}
