import { Duration } from 'luxon';
import type { Amounts, Instant, Millis } from '../../core/index.ts';
import type { TraceLease } from '../../simulation/workload.ts';
import type { MachineSetInput, RequestLeaseInput } from './generated/operations.ts';

/** A lease of a trace that begins at `start` as a request to a server. */
export function leaseInput(lease: TraceLease, start: Instant, resourceTypes: readonly string[]): RequestLeaseInput {
  const { type, machines, duration, knownDuration, preemptible, image, deadline } = lease;
  const at = (time: Millis | null) => (time === null ? null : new Date(start + time).toISOString());
  return {
    type,
    machines: machineSets(machines, resourceTypes),
    duration: iso(duration),
    start: at(lease.start),
    deadline: at(deadline),
    preemptible,
    diskImage: image,
    // A known duration beyond the requested one has no effect.
    knownDuration: knownDuration === null || knownDuration >= duration ? null : iso(Math.max(knownDuration, 1)),
  };
}

function iso(millis: Millis): string {
  return Duration.fromMillis(millis).toISO();
}

/** Neighbouring equal machines. Types that every trace may name, but that the site does not have, are left out. */
function machineSets(machines: readonly Amounts[], resourceTypes: readonly string[]): MachineSetInput[] {
  const found: { count: number; capacity: { type: string; amount: number }[] }[] = [];
  let before: Amounts | null = null;
  for (const machine of machines) {
    const last = found.at(-1);
    if (last && before && (before === machine || JSON.stringify(before) === JSON.stringify(machine))) {
      last.count += 1;
    } else {
      const capacity = Object.entries(machine)
        .filter(([type]) => resourceTypes.includes(type))
        .flatMap(([type, amounts]) => [amounts].flat().map((amount) => ({ type, amount })));
      found.push({ count: 1, capacity });
    }
    before = machine;
  }
  return found;
}
