import { type Amounts, type SiteSpec, totalAmount } from '../../core/index.ts';
import type { Seconds, SimulationResult } from '../result.ts';
import type { Workload } from '../workload.ts';

/** A value over time: each holds from its instant until the next one. */
export type Steps = readonly (readonly [at: Seconds, value: number])[];

/** Share of the CPU of the site on which machines run. */
export function utilizationOver(result: SimulationResult, workload: Workload, site: SiteSpec): Steps {
  const machinesOf = new Map(workload.leases.map((lease) => [lease.id, lease.machines]));
  const total = site.nodes.reduce((sum, { capacity }) => sum + totalAmount(capacity.CPU), 0) || 1;
  const changes: [Seconds, number][] = [];
  for (const lease of result.leases) {
    const machines: readonly Amounts[] = machinesOf.get(lease.id) ?? [];
    for (const { kind, start, end, nodes } of lease.reservations) {
      if (kind !== 'VM') continue;
      let cpu = 0;
      for (const machine of Object.keys(nodes ?? {})) cpu += totalAmount(machines[Number(machine) - 1]?.CPU);
      changes.push([start, cpu / total], [end, -cpu / total]);
    }
  }
  return accumulate(changes);
}

/** Number of leases in the queue. */
export function queueLengthOver({ events }: SimulationResult): Steps {
  const isQueued = (state: string) => state === 'QUEUED' || state === 'SUSPENDED_QUEUED';
  return accumulate(
    events.flatMap(([at, , from, to]): [Seconds, number][] => {
      const change = Number(isQueued(to)) - Number(isQueued(from));
      return change === 0 ? [] : [[at, change]];
    }),
  );
}

function accumulate(changes: [Seconds, number][]): Steps {
  const steps: [Seconds, number][] = [];
  let value = 0;
  for (const [at, change] of changes.sort((a, b) => a[0] - b[0])) {
    value += change;
    const last = steps.at(-1);
    if (last?.[0] === at) last[1] = value;
    else steps.push([at, value]);
  }
  return steps;
}

export interface PanelFrame {
  readonly left: number;
  readonly width: number;
  readonly top: number;
  readonly height: number;
  readonly end: Seconds;
  x(at: Seconds): number;
}

/** A chart of one value beneath the nodes, on the same axis of time. */
export function drawPanel(
  steps: Steps,
  title: string,
  max: number,
  label: string,
  { left, width, top, height, end, x }: PanelFrame,
): string {
  const bottom = top + height;
  const y = (value: number) => round(bottom - (Math.max(0, Math.min(value, max)) / max) * height);
  let path = `M${left} ${bottom}`;
  let lastX: number | null = null;
  let value = 0;
  for (const [at, next] of steps) {
    const here = Math.max(left, Math.min(x(at), left + width));
    // What follows within a tenth of a pixel replaces what was there.
    if (lastX === null || here - lastX >= 0.1) path += `H${round(here)}`;
    path += `V${y(next)}`;
    lastX = here;
    value = next;
  }
  path += `H${round(Math.min(x(end), left + width))}${value === 0 ? '' : `V${bottom}`}Z`;
  return [
    `<rect x="${left}" y="${top}" width="${width}" height="${height}" fill="#f4f4f4"/>`,
    `<path d="${path}" fill="#90a4ae"/>`,
    `<text x="${left - 8}" y="${round(top + height / 2 + 4)}" text-anchor="end">${title}</text>`,
    `<text x="${left + 4}" y="${top + 11}">${label}</text>\n`,
  ].join('');
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
