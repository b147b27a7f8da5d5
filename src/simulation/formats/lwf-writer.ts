import type { Amounts, SiteSpec } from '../../core/index.ts';
import type { TraceLease, Workload } from '../workload.ts';
import { escapeXml } from './escape.ts';
import { nodeSets } from './site.ts';
import { formatDuration } from './values.ts';

/** Writes a workload in LWF, piece by piece. `readLwf` reads the same workload back. */
export function* writeLwf(workload: Workload): Generator<string, void> {
  const name = workload.name === null ? '' : ` name="${escapeXml(workload.name)}"`;
  yield `<?xml version="1.0"?>\n<lease-workload${name}>\n`;
  if (workload.description !== null) yield `  <description>${escapeXml(workload.description)}</description>\n`;
  const attributes = Object.entries(workload.attributes);
  if (attributes.length > 0) {
    const lines = attributes.map(
      ([key, value]) => `    <attr name="${escapeXml(key)}" value="${escapeXml(value)}"/>\n`,
    );
    yield `  <attributes>\n${lines.join('')}  </attributes>\n`;
  }
  if (workload.site !== null) yield writeSite(workload.site, '  ');
  yield '  <lease-requests>\n';
  for (const lease of workload.leases) yield writeRequest(lease);
  yield '  </lease-requests>\n</lease-workload>\n';
}

function writeSite(site: SiteSpec, indent: string): string {
  const types = escapeXml(site.resourceTypes.join(' '));
  const sets = nodeSets(site).map(({ count, capacity }) => writeNodeSet(count, capacity, `${indent}    `));
  return `${indent}<site>
${indent}  <resource-types names="${types}"/>
${indent}  <nodes>
${sets.join('')}${indent}  </nodes>
${indent}</site>
`;
}

function writeRequest(lease: TraceLease): string {
  const user = lease.user === null ? '' : ` user="${escapeXml(lease.user)}"`;
  const known =
    lease.knownDuration === null ? '' : `      <realduration time="${formatDuration(lease.knownDuration)}"/>\n`;
  const software =
    lease.image === null ? '<none/>' : `<disk-image id="${escapeXml(lease.image.name)}" size="${lease.image.sizeMb}"/>`;
  return `    <lease-request arrival="${formatDuration(lease.arrival)}">
${known}      <lease id="${lease.id}" preemptible="${lease.preemptible}"${user}>
        <nodes>
${writeMachines(lease.machines)}        </nodes>
        ${writeStart(lease)}
        <duration time="${formatDuration(lease.duration)}"/>
${writeDeadline(lease)}        <software>${software}</software>
      </lease>
    </lease-request>
`;
}

function writeStart(lease: TraceLease): string {
  if (lease.type === 'IMMEDIATE') return '<start><now/></start>';
  if (lease.start === null) return '<start/>';
  return `<start><exact time="${formatDuration(lease.start)}"/></start>`;
}

function writeDeadline({ deadline }: TraceLease): string {
  return deadline === null ? '' : `        <deadline time="${formatDuration(deadline)}"/>\n`;
}

/** Neighbouring machines of the same kind become one node set. */
function writeMachines(machines: readonly Amounts[]): string {
  let text = '';
  let count = 0;
  for (const [index, machine] of machines.entries()) {
    count += 1;
    if (sameAmounts(machine, machines[index + 1])) continue;
    text += writeNodeSet(count, machine, '          ');
    count = 0;
  }
  return text;
}

function sameAmounts(one: Amounts, other: Amounts | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

function writeNodeSet(count: number, amounts: Amounts, indent: string): string {
  const resources = Object.entries(amounts).map(([type, amount]) => {
    const name = escapeXml(type);
    if (typeof amount === 'number') return `<res type="${name}" amount="${amount}"/>`;
    const instances = amount.map((one) => `<instance amount="${one}"/>`).join('');
    return `<res type="${name}">${instances}</res>`;
  });
  return `${indent}<node-set numnodes="${count}">${resources.join('')}</node-set>\n`;
}
