import type { ActionTarget } from '../../core/index.ts';

/** A VM's template, in OpenNebula's syntax. */
export function templateOf(
  { capacity, image }: ActionTarget,
  attributes: Readonly<Record<string, string>>,
  added: string,
): string {
  const amount = (type: string): number => {
    const value = capacity[type] ?? 0;
    return typeof value === 'number' ? value : value.reduce((sum, each) => sum + each, 0);
  };
  const cpu = amount('CPU') / 100;
  const lines = [
    ...Object.entries(attributes).map(([name, value]) => `${name}=${quoted(value)}`),
    `CPU=${quoted(String(cpu))}`,
    `VCPU=${quoted(String(Math.max(1, Math.ceil(cpu))))}`,
    `MEMORY=${quoted(String(amount('Memory')))}`,
    ...(image ? [`DISK=[IMAGE=${quoted(image.name)}]`] : []),
    added,
  ];
  return lines.join('\n');
}

/** Within double quotes, only double quotes and backslashes are special. */
const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
