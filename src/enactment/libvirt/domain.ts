/** The name of a machine's domain, and the XML that defines it. */
import { createHash } from 'node:crypto';
import type { ActionTarget } from '../../core/index.ts';
import type { LeaseFacts, MachinePlace } from '../../engine/ports.ts';
import type { LibvirtOptions } from './options.ts';

/** What an operation is about, and what is known of its lease. */
export interface MachineTarget extends ActionTarget {
  readonly lease?: LeaseFacts | undefined;
}

/** The stage of a machine, stored in the domain's metadata: libvirt does not record why a domain is shut off. */
export type Phase = 'prepared' | 'started' | 'suspending' | 'suspended' | 'resuming';

export const metadataUri = 'urn:leasegraph:libvirt';
export const metadataKey = 'leasegraph';

/** The default domain template. See docs/adapters.md for its variables. */
export const defaultTemplate = `<domain type='{{domainType}}'>
  <name>{{name}}</name>
  <uuid>{{uuid}}</uuid>
  <title>Lease {{lease}}, machine {{machine}}</title>
  {{metadata}}
  <memory unit='MiB'>{{memory}}</memory>
  <vcpu>{{vcpus}}</vcpu>
  <os><type arch='x86_64'>hvm</type></os>
  <features><acpi/><apic/></features>
  <on_poweroff>destroy</on_poweroff>
  <on_reboot>restart</on_reboot>
  <on_crash>destroy</on_crash>
  <devices>
    {{#disk}}<disk type='file' device='disk'>
      <driver name='qemu' type='qcow2'/>
      <source file='{{disk}}'/>
      <target dev='vda' bus='virtio'/>
    </disk>{{/disk}}
    {{#seed}}<disk type='file' device='cdrom'>
      <driver name='qemu' type='raw'/>
      <source file='{{seed}}'/>
      <target dev='sda' bus='sata'/>
      <readonly/>
    </disk>{{/seed}}
    {{#network}}<interface type='network'>
      <source network='{{network}}'/>
      <model type='virtio'/>
    </interface>{{/network}}
    <serial type='pty'/>
    <console type='pty'/>
  </devices>
</domain>
`;

/** Machines of the test driver consist of a name only. */
export const testTemplate = `<domain type='test'>
  <name>{{name}}</name>
  <uuid>{{uuid}}</uuid>
  <memory unit='MiB'>{{memory}}</memory>
  <vcpu>{{vcpus}}</vcpu>
  <os><type>hvm</type></os>
</domain>
`;

export const nameOf = (prefix: string, { leaseId, machine }: Omit<MachinePlace, 'node'>): string =>
  `${prefix}-${leaseId}-${machine}`;

/** Null for a domain that is not a machine of this site. */
export function machineOf(prefix: string, name: string): { leaseId: number; machine: number } | null {
  const rest = name.startsWith(`${prefix}-`) ? name.slice(prefix.length + 1) : '';
  const found = /^([1-9]\d{0,9})-([1-9]\d{0,9})$/.exec(rest);
  return found ? { leaseId: Number(found[1]), machine: Number(found[2]) } : null;
}

/** The same on every host, so that a moved machine keeps its identity. */
export function uuidOf(name: string): string {
  const hex = createHash('sha256').update(`leasegraph ${name}`).digest('hex');
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

export interface DomainFacts {
  readonly target: ActionTarget;
  readonly hostname: string;
  readonly phase: Phase;
  /** Paths on the host, or null. */
  readonly disk: string | null;
  readonly seed: string | null;
  /** The folder of the machine on the host. */
  readonly folder: string;
}

export function domainXml(
  template: string,
  options: Pick<LibvirtOptions, 'namePrefix' | 'domainType' | 'network'>,
  { target, hostname, phase, disk, seed, folder }: DomainFacts,
): string {
  const name = nameOf(options.namePrefix, target);
  const attributes = `xmlns:${metadataKey}='${metadataUri}' phase='${phase}'`;
  return filled(
    template.includes('{{metadata}}') ? template : template.replace('</uuid>', '</uuid>\n  {{metadata}}'),
    {
      name,
      uuid: uuidOf(name),
      domainType: options.domainType,
      lease: String(target.leaseId),
      machine: String(target.machine),
      hostname,
      folder,
      memory: String(amountOf(target, 'Memory')),
      vcpus: String(Math.max(1, Math.ceil(amountOf(target, 'CPU') / 100))),
      disk,
      seed,
      network: options.network,
      image: target.image?.name ?? null,
    },
    escaped,
  ).replace('{{metadata}}', `<metadata><${metadataKey}:machine ${attributes}/></metadata>`);
}

/**
 * Replaces `{{name}}` by its value and omits `{{#name}}…{{/name}}` if there is no value. Throws for an unknown name.
 */
export function filled(
  template: string,
  values: Readonly<Record<string, string | null>>,
  escapeValue: (text: string) => string,
): string {
  return template
    .replaceAll(/\{\{#(\w+)\}\}([\s\S]*?)\{\{\/\1\}\}/g, (_, name: string, text: string) =>
      values[name] == null ? '' : text,
    )
    .replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => {
      if (name === 'metadata') return whole;
      const value = values[name];
      if (value === undefined) throw new Error(`the template has ${whole}, which has no meaning`);
      return escapeValue(value ?? '');
    });
}

/** Escapes text for XML elements and attributes. Characters that XML cannot represent are omitted. */
export function escaped(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&apos;',
  };
  return text
    .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}

function amountOf({ capacity }: ActionTarget, type: string): number {
  const amount = capacity[type] ?? 0;
  return typeof amount === 'number' ? amount : amount.reduce((sum, each) => sum + each, 0);
}

/** Changes the paths of a domain to this folder; the files are under `…/machines/NAME/` on every host. */
export function relocated(xml: string, folder: string): string {
  return xml.replaceAll(
    /(<source [^>]*?(?:file|path|dev)=['"])[^'"]*\/machines\/[^'"/]+(\/[^'"/]+['"])/g,
    (_, before: string, after: string) => `${before}${escaped(folder)}${after}`,
  );
}
