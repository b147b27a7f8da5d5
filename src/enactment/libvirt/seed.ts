/** Data for cloud-init in guests: facts of the machine and its lease. */
import { DateTime } from 'luxon';
import type { MachineTarget } from './domain.ts';

/** By the name that stands for each in a template of user-data. Null: there is none. */
export type SeedValues = Readonly<Record<string, string | null>>;

export function seedValues(
  { image, lease, leaseId, machine }: MachineTarget,
  name: string,
  hostname: string,
): SeedValues {
  const instant = (at: number | null | undefined): string | null =>
    at == null ? null : DateTime.fromMillis(at, { zone: 'utc' }).toISO({ suppressMilliseconds: true });
  return {
    name,
    lease: String(leaseId),
    machine: String(machine),
    node: hostname,
    image: image?.name ?? null,
    leaseName: lease?.name ?? null,
    owner: lease?.owner ?? null,
    project: lease?.project == null ? null : String(lease.project),
    start: instant(lease?.start),
    end: instant(lease?.end),
  };
}

/** Of a NoCloud volume. What cloud-init does not know itself is there for templates, as `ds.meta_data.leasegraph`. */
export function metaData(name: string, values: SeedValues): string {
  const { name: _, ...facts } = values;
  const lines = Object.entries(facts).map(
    ([key, value]) => `  ${key}: ${value === null ? 'null' : `"${yamlEscaped(value)}"`}\n`,
  );
  return `instance-id: ${name}\nlocal-hostname: ${name}\nleasegraph:\n${lines.join('')}`;
}

/** Characters that YAML takes for the end of a line or does not allow, and those that only look like nothing. */
const special = /[^\x20-\x7e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/gu;

/** A text between double quotes in YAML. Halves of surrogate pairs are replaced. */
export function yamlEscaped(text: string): string {
  return text
    .replaceAll(/\p{Surrogate}/gu, '\uFFFD')
    .replaceAll(/["\\]/g, '\\$&')
    .replaceAll(special, (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);
}
